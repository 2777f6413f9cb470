// Baseline: DBOS workflows behind Fastify with the product's checks. Everything is as durable as DBOS makes it by
// default: the workflow's row is committed before the answer, the outcome of each step before the next step, and the
// workflow's result before its end is reported.
import { randomUUID } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { checkedServer, serve } from './checked-server.mjs';

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.DATABASE_URL,
  runAdminServer: false,
  logLevel: 'error',
});

/**
 * The durable steps of a run between its acceptance and its end, which the workflow itself records: the run reserves
 * its cost, and stores the model's reply. The product also reserves in a separate append, and stores the step together
 * with the end.
 */
const run = DBOS.registerWorkflow(
  async (text) => {
    await DBOS.runStep(async () => ({ reservedCents: 3 }), { name: 'reserve' });
    return DBOS.runStep(async () => ({ text: text.replace('repeat after me: ', '') }), { name: 'model' });
  },
  { name: 'run' },
);

/** One step that returns the time, as the product's tool does. Returns how long the step took. */
const step = DBOS.registerWorkflow(
  async () => {
    const startedMs = performance.now();
    await DBOS.runStep(async () => ({ time: new Date().toISOString() }), { name: 'time' });
    return performance.now() - startedMs;
  },
  { name: 'step' },
);
await DBOS.launch();

/** Open responses that receive the ids of ended runs, one a line. */
const watchers = new Set();

const app = checkedServer();
app.post('/users/:userId/agent-runs', async (request, reply) => {
  const runId = randomUUID();
  const handle = await DBOS.startWorkflow(run, { workflowID: runId })(request.body.input.text);
  handle.getResult().then(() => {
    for (const watcher of watchers) watcher.write(`${runId}\n`);
  });
  return reply.code(202).send({ runId, status: 'running' });
});
app.get('/ended', (request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
  watchers.add(reply.raw);
  reply.raw.on('close', () => watchers.delete(reply.raw));
});
app.post('/users/:userId/steps', async () => ({ tookMs: await step() }));
await serve(app);
