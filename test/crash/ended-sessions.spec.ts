/**
 * Every session with PostgreSQL is ended again and again under load: no process ends, callers see only 503 meanwhile,
 * and nothing is lost.
 */
import { Client } from 'pg';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { disturbUnderLoad } from './load-audit';

const full = process.env['FIGURES'] === 'full';
const ROUNDS = Number(process.env['SESSION_ROUNDS'] ?? (full ? 40 : 2));
const CALLERS = 4;
const TIMEOUT_MS = 180_000 + ROUNDS * 60_000;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'processes',
    replicas: { api: 2, worker: 2 },
    env: { EXECUTION_CAPACITY: '100000', BUDGET_DAY_CENTS: '100000000', BUDGET_MONTH_CENTS: '100000000' },
  });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
});
afterAll(() => deployment.stop());

/** The sessions that are ended, in turn: those of the event store alone, and all. */
const victims = [`application_name LIKE 'parley event store%'`, 'true'];

/** Returns the number of ended sessions. */
async function endSessions(whose: string): Promise<number> {
  const admin = new Client({ connectionString: deployment.databaseUrl });
  await admin.connect();
  const ended = await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${whose}`,
  );
  await admin.end();
  return ended.rowCount ?? 0;
}

function running(): string[] {
  const { apis, workers, eventStore } = deployment;
  const processes = { api: apis, worker: workers, 'event store': eventStore === null ? [] : [eventStore] };
  return Object.entries(processes).flatMap(([name, all]) => all.map((one) => (one.isAlive ? name : `${name} ended`)));
}

test(
  'no process ends, and the books agree',
  async () => {
    let sessions = 0;
    const allRun = () => expect(running()).toEqual(['api', 'api', 'worker', 'worker', 'event store']);
    await disturbUnderLoad(deployment, {
      rounds: ROUNDS,
      callers: CALLERS,
      withinMs: TIMEOUT_MS,
      disturb: async (round) => {
        sessions += await endSessions(victims[round % victims.length]!);
      },
      recovered: allRun,
      done: () => `ended sessions: ${ROUNDS} rounds (40 with FIGURES=full), ${sessions} sessions`,
    });
    allRun();
  },
  TIMEOUT_MS,
);
