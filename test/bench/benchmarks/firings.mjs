import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newConversation } from '../conversations.mjs';
import { cpuFigure, cpuMeter } from '../cpu.mjs';
import { post } from '../http-client.mjs';
import { atOnce } from '../measuring.mjs';
import { watchRuns } from '../run-watch.mjs';

const madeAtOnce = 8;
const startsInFlight = 64;
const prompt = 'repeat after me: ok';
/**
 * All automations are created well before they are due; then the service's clock is moved to shortly before that
 * moment.
 */
const aheadMs = 3_600_000;
const leadMs = 2_000;
/** The number of connections of one process of the product. */
const jobsAtOnce = 10;
const name = 'firings, due until the run is admitted';

/**
 * Automations of one user that are all due at one moment: from that moment until the last one's run is admitted, while
 * the first runs are already executing. The baseline starts as many runs of the same user over HTTP, each in a
 * conversation created before.
 */
export const firings = {
  number: 12,
  name,
  against: `our own runs.start, ${startsInFlight} in flight`,
  figures: [
    { key: 'perSecond', unit: '/s', better: 'more', aim: 0.8, floor: 0.6 },
    cpuFigure('CPU of a firing and its run', { against: 'our own runs.start and its run' }),
  ],

  async open(deployment, { automations }) {
    const user = await deployment.newUser('firings');
    return {
      ours: () => fireAll(deployment, user, automations),
      baseline: () => startAll(deployment, user, automations),
      close: async () => undefined,
    };
  },
};

/**
 * The same, against jobs that do nothing, all due, run by graphile-worker as a library in this process on the same
 * PostgreSQL.
 */
export const plainJobs = {
  number: 12,
  name,
  against: "graphile-worker's plain jobs",
  figures: [{ key: 'perSecond', unit: '/s', better: 'more' }],

  async open(deployment, { automations }) {
    const user = await deployment.newUser('firings');
    const jobs = await openJobs(deployment.baselineDatabaseUrl);
    return {
      ours: () => fireAll(deployment, user, automations),
      baseline: () => jobs.runAll(automations),
      close: () => jobs.close(),
    };
  },
};

async function fireAll({ client, processes, moveClock }, user, count) {
  const runs = await watchRuns(client, 'run.started');
  const dueAtMs = Date.parse((await moveClock(1)).now) + aheadMs;
  await atOnce(madeAtOnce, count, () => user.post('/automations', automation(dueAtMs)));
  const cpu = await cpuMeter(processes);
  const nowMs = Date.parse((await moveClock(1)).now);
  const moved = await moveClock(Math.floor((dueAtMs - leadMs - nowMs) / 1000));
  const dueHereAtMs = Date.now() + dueAtMs - Date.parse(moved.now);
  const lastAtMs = await runs.untilSeen(count);
  await runs.close();
  return { perSecond: (count * 1000) / (lastAtMs - dueHereAtMs), ...(await cpu.perOperation(count)) };
}

async function startAll({ client, processes }, user, count) {
  const conversationIds = [];
  await atOnce(madeAtOnce, count, async () => conversationIds.push(await newConversation(user)));
  const runs = await watchRuns(client, 'run.started');
  const cpu = await cpuMeter(processes);
  const startedMs = Date.now();
  await atOnce(startsInFlight, count, (number) =>
    post(`${user.url}/agent-runs`, user.headers, { conversationId: conversationIds[number], input: { text: prompt } }),
  );
  const lastAtMs = await runs.untilSeen(count);
  await runs.close();
  return { perSecond: (count * 1000) / (lastAtMs - startedMs), ...(await cpu.perOperation(count)) };
}

function automation(dueAtMs) {
  return {
    name: randomUUID(),
    prompt,
    conversation: 'new',
    condition: null,
    wake: { kind: 'schedule', schedule: { kind: 'once', at: new Date(dueAtMs).toISOString() } },
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
  };
}

async function openJobs(connectionString) {
  const { Logger, makeWorkerUtils, run } = await import('graphile-worker');
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString, logger });
  await utils.migrate();
  return {
    async runAll(count) {
      await utils.withPgClient((pg) =>
        pg.query("SELECT graphile_worker.add_job('nothing', '{}'::json) FROM generate_series(1, $1::int)", [count]),
      );
      let done = 0;
      // Measured from the first job on, because the library's start is not part of its jobs.
      let startedMs = 0;
      const nothing = () => {
        if (done === 0) startedMs = performance.now();
        done += 1;
      };
      const runner = await run({
        connectionString,
        logger,
        concurrency: jobsAtOnce,
        noHandleSignals: true,
        taskList: { nothing },
      });
      while (done < count) await sleep(1);
      const tookMs = performance.now() - startedMs;
      await runner.stop();
      return { perSecond: (count * 1000) / tookMs };
    },
    close: () => utils.release(),
  };
}
