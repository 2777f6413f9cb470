/** Each process has at most the connections to PostgreSQL that docs/production.md promises, counted while the product is under load. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { conversationOf, start } from '@app/testing/journeys';
import { type Deployment, type DeploymentOptions, startDeployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';

const poolSize = 4;
const users = 6;
const readsAtOnce = 20;
/** Names of short-lived connections, which are not counted, because no process waits for their end. */
const transient = ['parley look', 'parley migrations'];

type Counts = Readonly<Record<string, number>>;

/** The row of a process in the table "Connections to PostgreSQL". */
function documented(process: string): Counts {
  const text = readFileSync(join(__dirname, '..', '..', 'docs', 'production.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  const cellsOf = (line = ''): string[] => line.split('|').map((cell) => cell.trim().replaceAll('`', ''));
  const header = cellsOf(rows.find((line) => line.includes('parley leader')));
  const row = cellsOf(rows.find((line) => cellsOf(line)[1] === process));
  const known = { DATABASE_POOL_SIZE: 10 };
  const counts = header.slice(2, -2).map((name, index) => {
    const cell = row[index + 2] ?? '';
    return [name, cell in known ? poolSize : Number(cell)] as const;
  });
  const sum = counts.reduce((total, [name, count]) => total + (name === 'parley' && count > 0 ? 10 : count), 0);
  expect(Number(row.at(-2))).toBe(sum);
  return Object.fromEntries(counts);
}

function together(...processes: readonly Counts[]): Counts {
  const names = Object.keys(processes[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, processes.reduce((sum, one) => sum + (one[name] ?? 0), 0)]));
}

/** Counts connections by application name from now on; on stop, returns the highest count of each at one time. */
function countConnections(databaseUrl: string) {
  const most: Record<string, number> = {};
  const open = { isOver: false };
  const counting = (async () => {
    const client = new Client({ connectionString: databaseUrl, application_name: 'a test' });
    await client.connect();
    while (!open.isOver) {
      const { rows } = await client.query<{ name: string; count: number }>(
        `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND backend_type = 'client backend' AND application_name <> '' -- it has none while it connects
         GROUP BY 1`,
      );
      for (const { name, count } of rows) most[name] = Math.max(most[name] ?? 0, count);
    }
    await client.end();
  })();
  const stop = async (): Promise<Counts> => {
    open.isOver = true;
    await counting;
    return most;
  };
  return { most, stop };
}

/** Each user makes many reads at once, and starts a run and waits for its end. */
async function load(deployment: Deployment): Promise<void> {
  const work = Array.from({ length: users }, async () => {
    const user = await deployment.newUser();
    const conversationId = await conversationOf(user);
    const { status, body } = await start(user, conversationId, 'repeat after me: done');
    expect(status).toBe(202);
    const reads = Array.from({ length: readsAtOnce }, () => user.get('/conversations'));
    for (const read of await Promise.all(reads)) expect(read.status).toBe(200);
    const path = `/agent-runs/${body.runId}`;
    await until('the end of the run', async () => {
      const run = await user.get<{ readonly status: string }>(path);
      return run.body.status === 'completed' || null;
    });
  });
  await Promise.all(work);
}

async function mostUnderLoad(options: DeploymentOptions): Promise<Counts> {
  const deployment = await startDeployment({ ...options, env: { DATABASE_POOL_SIZE: String(poolSize) } });
  const counted = countConnections(deployment.databaseUrl);
  try {
    await load(deployment);
    // More connections were wanted than the pool has, and a leader is elected.
    await until('a full pool', () => Promise.resolve((counted.most['parley'] ?? 0) >= poolSize || null));
    await until('a leader', () => Promise.resolve(counted.most['parley leader'] ?? null));
  } finally {
    await counted.stop();
    await deployment.stop();
  }
  return Object.fromEntries(Object.entries(counted.most).filter(([name]) => !transient.includes(name)));
}

function expectWithin(most: Counts, bounds: Counts): void {
  const over = Object.entries(most).filter(([name, count]) => count > (bounds[name] ?? 0));
  expect(over).toEqual([]);
}

it('api, worker and event store apart', async () => {
  const most = await mostUnderLoad({ mode: 'processes' });
  expectWithin(most, together(...['api', 'worker', 'embedded event store'].map(documented)));
});

it('all in one, as npm start has it', async () => {
  expectWithin(await mostUnderLoad({ mode: 'in-process' }), documented('npm start'));
});
