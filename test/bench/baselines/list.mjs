// Baseline: bare Fastify that answers the rows of one prepared SELECT ($1: the user, $2: the number of rows).
import fastify from 'fastify';
import pg from 'pg';

/** The pool size of one process of the product. */
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
