// Baseline: bare Fastify with one PostgreSQL insert for each request.
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';

/** The pool size of one process of the product. */
const poolSize = 10;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: poolSize });
await pool.query('DROP TABLE IF EXISTS conversations');
await pool.query(
  'CREATE TABLE conversations (id uuid PRIMARY KEY, user_id uuid NOT NULL, title text, created_at timestamptz NOT NULL)',
);

const insert = {
  name: 'insert',
  text: 'INSERT INTO conversations (id, user_id, title, created_at) VALUES ($1, $2, $3, $4)',
};
const app = fastify();
app.post('/users/:userId/conversations', async (request, reply) => {
  const conversation = { id: randomUUID(), title: request.body.title, createdAt: new Date().toISOString() };
  const { id, title, createdAt } = conversation;
  await pool.query({ ...insert, values: [id, request.params.userId, title, createdAt] });
  return reply.code(201).send(conversation);
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(app.server.address().port);
