/**
 * The event store and PostgreSQL are killed with SIGKILL under load: callers see only 503 meanwhile, the service
 * recovers soon, and nothing acknowledged is lost.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@app/embedded-postgres';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { TEST_POSTGRES_URL } from '@app/testing/postgres';
import { disturbUnderLoad } from './load-audit';

const full = process.env['FIGURES'] === 'full';
const ROUNDS = Number(process.env['OUTAGE_ROUNDS'] ?? (full ? 10 : 1));
const AWAY_MS = full ? 10_000 : 1_500;
const CALLERS = 4;
const TIMEOUT_MS = 600_000 + ROUNDS * 60_000;

let folder: string;
let postgres: EmbeddedPostgres;
let deployment: Deployment;
const startPostgres = async (): Promise<void> => {
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-outages-'));
  await startPostgres();
  // Set for this file alone, because jest gives each file a separate environment. This server will be killed.
  process.env[TEST_POSTGRES_URL] = postgres.url('postgres');
  deployment = await startDeployment({
    mode: 'processes',
    replicas: { api: 2, worker: 2 },
    env: { EXECUTION_CAPACITY: '100000', BUDGET_DAY_CENTS: '100000000', BUDGET_MONTH_CENTS: '100000000' },
  });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
});
afterAll(async () => {
  await deployment.stop();
  await postgres.stop();
  await rm(folder, { recursive: true });
});

/** Kills the postmaster. Its children end by themselves when they notice, and then the folder is free. */
async function killPostgres(): Promise<void> {
  const [pid] = (await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await postgres.exited;
}

const outages = [
  {
    store: 'the event store',
    kill: () => deployment.eventStore!.kill('SIGKILL'),
    start: () => deployment.eventStore!.start(),
  },
  { store: 'PostgreSQL', kill: killPostgres, start: startPostgres },
];

test.each(outages)(
  '$store is killed under load and comes back',
  async ({ store, kill, start }) => {
    await disturbUnderLoad(deployment, {
      rounds: ROUNDS,
      callers: CALLERS,
      withinMs: TIMEOUT_MS,
      disturb: async () => {
        await kill();
        await sleep(AWAY_MS);
        await start();
      },
      done: () => `outages: ${store} killed ${ROUNDS} times under load (10 with FIGURES=full)`,
    });
  },
  TIMEOUT_MS,
);
