/**
 * Workers that build the log of all events die at each of its lines; afterwards there is one log, of exactly the
 * events.
 */
import { unlikeTheEvents } from '@app/testing/audits';
import { conversationOf } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { Client } from 'pg';
import { disarmed, startKillable, type Killable } from './killable';

const full = process.env['FIGURES'] === 'full';
const ROUNDS = full ? 20 : 1;
const WITHIN_MS = 120_000;
const points = ['log:before-commit', 'log:after-commit', 'append:before', 'append:after'] as const;

let killable: Killable;
let database: Client;
beforeAll(async () => {
  killable = await startKillable({ mode: 'worker-apart', replicas: { worker: 2 } });
  database = new Client(killable.deployment.databaseUrl);
  database.on('error', () => undefined); // the database ends with the deployment
  await database.connect();
}, WITHIN_MS);
afterAll(async () => {
  await database.end();
  await killable.stop();
});

/** Creates some events, and requests a signed checkpoint of them. */
async function live(): Promise<void> {
  const user = await killable.deployment.newUser();
  for (let n = 0; n < 5; n += 1) await conversationOf(user);
  await wanted();
}

const wanted = () => database.query(`SELECT pg_notify('parley_checkpoint_wanted', '')`);

/** Waits until a signed checkpoint covers all leaves, and the leaves cover all events. */
async function covered(): Promise<void> {
  await until(
    'a checkpoint of everything',
    async () => {
      await wanted();
      const { rows } = await database.query<{ ready: boolean }>(
        `SELECT l.size = (SELECT (convert_from(data, 'UTF8')::json->>'size')::bigint FROM event_store.events
             WHERE stream = 'audit-checkpoints' AND type = 'checkpoint.signed' ORDER BY revision DESC LIMIT 1)
           AND l.size = (SELECT count(*) FROM event_store.events WHERE stream <> 'audit-checkpoints' AND stream NOT LIKE '$%') AS ready
         FROM transparency_log AS l`,
      );
      return rows[0]?.ready === true ? true : null;
    },
    WITHIN_MS,
  );
}

test.each(points)(
  'all workers killed at %s',
  async (point) => {
    const { orders, deployment } = killable;
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = (await orders.carriedOut()).length;
      await orders.armAll(deployment.workers, { point, nth: 1 + (round % 3) });
      const living = until('a death', async () => {
        await live();
        return (await orders.carriedOut()).length > before || null;
      });
      await living;
      await disarmed(killable);
      await live();
      await covered();
      expect(await unlikeTheEvents(deployment.databaseUrl, deployment.eventStoreUrl)).toEqual([]);
    }
    process.stdout.write(`killed at ${point}: ${ROUNDS} rounds (20 with FIGURES=full)\n`);
  },
  WITHIN_MS * (1 + ROUNDS),
);
