/**
 * A worker dies at any commit of a rebuild: another one, or its successor, continues from there, and nothing is lost or
 * doubled.
 */
import { readStore } from '@app/composition';
import { Database, readStoreMigrations, Rebuilds, type Rebuild } from '@app/read-store';
import { until } from '@app/testing/until';
import { v7 as uuidV7 } from 'uuid';
import { onlyCount, type KillOrder } from './kill-orders';
import { startKillable, type Killable } from './killable';

const WITHIN_MS = 120_000;
/** The commits at which the worker dies. */
const nths = process.env['FIGURES'] === 'full' ? [1, 2, 5] : [2];
const points = ['rebuild:before-commit', 'rebuild:after-commit'] as const;
const none = { missing: 0, extra: 0, changed: 0 };

let killable: Killable;
let database: Database;
let rebuilds: Rebuilds;
beforeAll(async () => {
  killable = await startKillable({ mode: 'worker-apart', replicas: { worker: 2 } });
  const { rows, migrations: own, projections } = readStore;
  const migrations = [...readStoreMigrations, ...own];
  database = await Database.connect({
    url: killable.deployment.databaseUrl,
    poolSize: 2,
    rows,
    migrations,
    projections,
  });
  rebuilds = new Rebuilds(database, projections);
});
afterAll(async () => {
  await database.close();
  await killable.stop();
});

/** Waits for the end of a rebuild. Restarts workers that died, because without any the rebuild would stop. */
async function ready(id: string): Promise<Rebuild> {
  return until(
    'the rebuild',
    async () => {
      for (const worker of killable.deployment.workers) if (!worker.isAlive) await worker.start();
      const rebuild = await rebuilds.find(id);
      return rebuild?.state === 'ready' || rebuild?.state === 'failed' ? rebuild : null;
    },
    WITHIN_MS,
  );
}

/** Rebuilds some read models under the order, while conversations begin. */
async function rebuiltUnder(order: KillOrder): Promise<readonly Rebuild[]> {
  const { deployment, orders } = killable;
  await orders.armAll(deployment.workers, order);
  const names = ['runs', 'conversations', 'messages', 'activity'];
  const ids = names.map(() => uuidV7());
  for (const [index, name] of names.entries()) await rebuilds.start(ids[index] ?? '', name, 'a crash');
  const client = await deployment.newUser();
  for (let n = 0; n < 3; n += 1) await client.post('/conversations', { title: `conversation ${n}` });
  const found: Rebuild[] = [];
  for (const id of ids) found.push(await ready(id));
  return found;
}

test.each(points.flatMap((point) => nths.map((nth) => ({ point, nth }))))(
  'killed at $point number $nth',
  async (order) => {
    const before = (await killable.orders.carriedOut()).length;
    for (const rebuild of await rebuiltUnder(order)) {
      expect(rebuild).toMatchObject({ state: 'ready', error: null, differences: none });
      await rebuilds.switchOver(rebuild.id, null);
    }
    expect((await killable.orders.carriedOut()).length).toBeGreaterThan(before);
    await killable.orders.armAll(killable.deployment.workers, onlyCount);
    await database.query(`UPDATE read_model_tables SET kept_until = now() WHERE state = 'kept'`);
  },
  WITHIN_MS,
);
