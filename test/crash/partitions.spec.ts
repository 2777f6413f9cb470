/**
 * Workers share the read models by partitions and die: others take over their partitions, whatever the number, and no
 * event is lost or doubled.
 */
import { unlikeAReplay } from '@app/testing/audits';
import { readAllEvents } from '@app/testing/event-log';
import { until } from '@app/testing/until';
import { Client } from 'pg';
import { disarmed, startKillable, type Killable } from './killable';

const WITHIN_MS = 120_000;
const takenOverWithinMs = 10_000;
const full = process.env['FIGURES'] === 'full';
/** The commits at which all workers die, and the numbers of partitions that follow: fewer, then more. */
const nths = full ? [1, 4] : [2];
const changes = full ? [7, 1, 4] : [1, 7];
const points = ['projection:before-commit', 'projection:after-commit'] as const;

let killable: Killable;
let database: Client;
beforeAll(async () => {
  killable = await startKillable({
    mode: 'worker-apart',
    replicas: { worker: 3 },
    env: { PROJECTION_PARTITIONS: '4' },
  });
  database = new Client(killable.deployment.databaseUrl);
  database.on('error', () => undefined); // the database ends with the deployment
  await database.connect();
}, WITHIN_MS);
afterAll(async () => {
  await database.end();
  await killable.stop();
});

/** The partitions that each live process leads, as operators see them. */
async function sharedOut(): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT name FROM processes, unnest(leads) AS name
     WHERE name LIKE 'projector%' AND heartbeat_at > now() - interval '3 seconds' ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

const allOf = (count: number) => Array.from({ length: count }, (_, n) => `projector ${n + 1}/${count}`);

async function untilSharedOut(count: number): Promise<void> {
  await until(
    'all partitions to be led',
    async () => (await sharedOut()).join() === allOf(count).join() || null,
    WITHIN_MS,
  );
}

/** The largest number of partitions that one process leads. A process that starts first leads more until the others have started. */
async function mostLed(): Promise<number> {
  const { rows } = await database.query<{ led: number }>(
    `SELECT count(*)::int AS led FROM processes, unnest(leads) AS name WHERE name LIKE 'projector %' GROUP BY id`,
  );
  return Math.max(...rows.map(({ led }) => led));
}

/** Some users work for a while; each result must be readable at once. */
async function lived(): Promise<void> {
  const { deployment } = killable;
  const live = async () => {
    const user = await deployment.newUser();
    for (let n = 0; n < 3; n += 1) {
      const made = await user.post<{ id: string }>('/conversations', { title: `conversation ${n}` });
      expect(made.status).toBe(201);
      const run = { conversationId: made.body.id, runId: crypto.randomUUID(), input: { text: 'what time is it' } };
      expect((await user.post('/agent-runs', run)).status).toBe(202);
    }
  };
  await Promise.all(Array.from({ length: 6 }, live));
}

/** The differences between the read models and one replay of all events. */
async function differences(): Promise<string[]> {
  const { databaseUrl, eventStoreUrl } = killable.deployment;
  await until(
    'the end of all runs, and the read models at the end',
    async () => {
      const { rows } = await database.query<{ live: number; behind: number }>(
        `SELECT (SELECT count(*)::int FROM conversations WHERE live_run_id IS NOT NULL) AS live,
           (SELECT count(*)::int FROM read_model_positions WHERE position < (SELECT max(furthest) FROM read_model_positions)) AS behind`,
      );
      return rows[0]?.live === 0 && rows[0].behind === 0 ? true : null;
    },
    WITHIN_MS,
  );
  return unlikeAReplay(databaseUrl, await readAllEvents(eventStoreUrl));
}

test(
  'are led by three workers, and what was written can be read at once',
  async () => {
    await untilSharedOut(4);
    await until('no worker to lead more than two', async () => (await mostLed()) <= 2 || null, WITHIN_MS);
    const user = await killable.deployment.newUser();
    for (let n = 1; n <= 20; n += 1) {
      await user.post('/conversations', { title: `conversation ${n}` });
      expect((await user.get<{ total: number }>('/conversations')).body.total).toBe(n);
    }
  },
  WITHIN_MS,
);

test.each(points.flatMap((point) => nths.map((nth) => ({ point, nth }))))(
  'all workers killed at $point number $nth',
  async (order) => {
    const { orders, deployment } = killable;
    const before = (await orders.carriedOut()).length;
    await orders.armAll(deployment.workers, order);
    const living = lived();
    await until('a death', async () => (await orders.carriedOut()).length > before || null, WITHIN_MS);
    await disarmed(killable);
    await living;
    await untilSharedOut(4);
    expect(await differences()).toEqual([]);
  },
  WITHIN_MS,
);

test(
  'one that hangs loses its partitions, and harms nothing when it wakes',
  async () => {
    const [first, ...others] = killable.deployment.workers;
    if (first === undefined) throw new Error('there are no workers');
    await untilSharedOut(4);
    process.kill(first.pid, 'SIGSTOP');
    const stoppedAtMs = performance.now();
    await until('the others to lead', async () => {
      const { rows } = await database.query<{ pids: number }>(
        `SELECT count(DISTINCT l.pid)::int AS pids FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
         WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.mode = 'ShareLock'`,
      );
      return rows[0]?.pids === others.length ? true : null;
    });
    expect(performance.now() - stoppedAtMs).toBeLessThan(takenOverWithinMs);
    await untilSharedOut(4);
    const living = lived();
    await living;
    process.kill(first.pid, 'SIGCONT');
    await lived();
    await untilSharedOut(4);
    expect(await differences()).toEqual([]);
  },
  WITHIN_MS,
);

test.each(changes)(
  'their number is %i from now on, while workers are restarted one after the other and users go on',
  async (partitions) => {
    const living = lived();
    for (const worker of killable.deployment.workers) {
      await worker.stop();
      await worker.start({ PROJECTION_PARTITIONS: String(partitions) });
    }
    await living;
    if (partitions > 1) await untilSharedOut(partitions);
    await lived();
    expect(await differences()).toEqual([]);
  },
  WITHIN_MS,
);
