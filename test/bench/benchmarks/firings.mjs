import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { END, streamNameFilter } from '@eventstore/db-client';

const createdAtOnce = 8;
/** All are made well before they are due; then the service's clock is moved to shortly before. */
const aheadMs = 3_600_000;
const leadMs = 2_000;
const startedWithinMs = 120_000;
/** As many as one process of the product has connections. */
const jobsAtOnce = 10;

/**
 * Automations that are all due at one moment: from that moment until the last one's run was admitted, while the first ones run already.
 * Against jobs that do nothing, all due, run by graphile-worker as a library in this process from the same PostgreSQL.
 */
export const firings = {
  number: 12,
  name: 'firings, due until the run is admitted',
  against: "graphile-worker's plain jobs",
  figures: [{ key: 'perSecond', unit: '/s', better: 'more', aim: 0.5, floor: 0.25 }],

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

async function fireAll({ client, moveClock }, user, count) {
  const runs = watchRuns(client);
  const dueAtMs = Date.parse((await moveClock(1)).now) + aheadMs;
  let left = count;
  const lane = async () => {
    while (left-- > 0) await user.post('/automations', automation(dueAtMs));
  };
  await Promise.all(Array.from({ length: createdAtOnce }, lane));
  const nowMs = Date.parse((await moveClock(1)).now);
  const moved = await moveClock(Math.floor((dueAtMs - leadMs - nowMs) / 1000));
  const dueHereAtMs = Date.now() + dueAtMs - Date.parse(moved.now);
  const lastAtMs = await runs.untilStarted(count);
  await runs.close();
  return { perSecond: (count * 1000) / (lastAtMs - dueHereAtMs) };
}

function automation(dueAtMs) {
  return {
    name: randomUUID(),
    prompt: 'repeat after me: ok',
    conversation: 'new',
    condition: null,
    wake: { kind: 'schedule', schedule: { kind: 'once', at: new Date(dueAtMs).toISOString() } },
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
  };
}

/** Sees runs start from now on, whoever starts them, as the store's own client delivers their events. */
function watchRuns(client) {
  let started = 0;
  let lastAtMs = 0;
  const subscription = client.subscribeToAll({
    fromPosition: END,
    filter: streamNameFilter({ prefixes: ['conversation-'] }),
  });
  subscription.on('data', ({ event }) => {
    if (event?.type !== 'run.started') return;
    started += 1;
    lastAtMs = Date.now();
  });
  return {
    /** When the last of so many started. */
    async untilStarted(count) {
      const deadline = Date.now() + startedWithinMs;
      while (started < count) {
        if (Date.now() > deadline) throw new Error(`only ${started} of ${count} runs started`);
        await sleep(10);
      }
      return lastAtMs;
    },
    close: () => subscription.unsubscribe(),
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
      // From the first one on: how long the library takes to start is none of its jobs'.
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
