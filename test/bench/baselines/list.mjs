// Baseline: bare Fastify that answers the rows of one prepared SELECT ($1: the user, $2: how many).
import fastify from 'fastify';
import pg from 'pg';

/** As many as one process of the product has. */
const poolSize = 10;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: poolSize });
const select = { name: 'select', text: process.env.SELECT };

const app = fastify();
app.get('/users/:userId/list', async (request) => {
  const { rows } = await pool.query({ ...select, values: [request.params.userId, Number(request.query.limit)] });
  return { data: rows };
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(app.server.address().port);
