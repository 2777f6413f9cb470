// Baseline: workflows of DBOS behind Fastify with the product's checks. All is durable as DBOS is by default: the workflow's row is
// committed before the answer, the outcome of each step before the next, and the workflow's result before its end is told.
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
 * What a run does durably between its acceptance and its end, which are the workflow's own: it reserves what it may cost, and keeps
 * what the model said. The product reserves in an append of its own as well, and keeps the step with the end.
 */
const run = DBOS.registerWorkflow(
  async (text) => {
    await DBOS.runStep(async () => ({ reservedCents: 3 }), { name: 'reserve' });
    return DBOS.runStep(async () => ({ text: text.replace('repeat after me: ', '') }), { name: 'model' });
  },
  { name: 'run' },
);

/** One step that does what the product's tool does, which is to tell the time; and how long it took. */
const step = DBOS.registerWorkflow(
  async () => {
    const startedMs = performance.now();
    await DBOS.runStep(async () => ({ time: new Date().toISOString() }), { name: 'time' });
    return performance.now() - startedMs;
  },
  { name: 'step' },
);
await DBOS.launch();

/** Who is told the ids of the runs that have ended, a line each. */
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
