/** A frozen database: the management port answers within its bound, with what the process itself knows. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startWorking, type RunningProcess } from '@app/composition';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@app/embedded-postgres';
import { Configuration } from '@app/settings';
import { partOf } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { freePorts, treeOf } from '@app/testing/processes';
import { until } from '@app/testing/until';

const WITHIN_MS = 240_000;
/** Many times the second that a scrape may wait, and far less than the limit of a statement. */
const scrapedWithinMs = 20_000;
const figure = /^parley_execution_slots_in_use /m;

let folder: string;
let postgres: EmbeddedPostgres;
let deployment: Deployment;
let worker: RunningProcess;
let ports: number[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-frozen-'));
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: { fsync: 'off' } });
  const [workerPort = 0] = await freePorts(1);
  const env = { DATABASE_URL: await postgres.owned('parley'), DATABASE_TIMEOUT_MS: '600000', LOG_LEVEL: 'silent' };
  deployment = await startDeployment({ mode: 'in-process', env });
  const { env: ofApi } = partOf(deployment, Configuration);
  worker = await startWorking(new Configuration({ ...ofApi, MANAGEMENT_PORT: workerPort }));
  ports = [ofApi.MANAGEMENT_PORT, workerPort];
}, WITHIN_MS);
afterEach(() => signalAll('SIGCONT'));
afterAll(async () => {
  await signalAll('SIGCONT');
  await worker.stop();
  await deployment.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}, WITHIN_MS);

/** Sends the signal to PostgreSQL and each of its backends. */
async function signalAll(signal: NodeJS.Signals): Promise<void> {
  const [pid] = (await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  for (const each of await treeOf(Number(pid))) process.kill(each, signal);
}

async function scraped(port: number): Promise<string> {
  const signal = AbortSignal.timeout(scrapedWithinMs);
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal });
  expect(answer.status).toBe(200);
  return answer.text();
}

/** The readiness of both processes on their management ports, and of the api on its own port. */
async function readiness(): Promise<{ code: number; status: unknown; database: unknown }[]> {
  const [api = ''] = deployment.baseUrls;
  const urls = [api, ...ports.map((port) => `http://127.0.0.1:${port}`)];
  return Promise.all(
    urls.map(async (url) => {
      const signal = AbortSignal.timeout(scrapedWithinMs);
      expect((await fetch(`${url}/healthz`, { signal })).status).toBe(200);
      const answer = await fetch(`${url}/readyz`, { signal });
      // Reason for the assertion: the declared shape of the body.
      const { status, checks } = (await answer.json()) as { status: string; checks: Record<string, string> };
      return { code: answer.status, status, database: checks['database'] };
    }),
  );
}

it(
  'api and worker say that they live, and that the database is away, until it is back',
  async () => {
    const ok = { code: 200, status: 'ok', database: 'ok' };
    const away = { code: 503, status: 'away', database: 'away' };
    const all = (one: object) => async () => isDeepStrictEqual(await readiness(), [one, one, one]) || null;
    await until('ready', all(ok));
    await signalAll('SIGSTOP');
    // More requests than the pool has connections.
    for (const states of await Promise.all(Array.from({ length: 12 }, readiness)))
      expect(states).toEqual([away, away, away]);
    await signalAll('SIGCONT');
    await until('ready again', all(ok));
  },
  WITHIN_MS,
);

it(
  'api and worker show all figures but those of the database, which come back with it',
  async () => {
    for (const port of ports) expect(await scraped(port)).toMatch(figure);
    await signalAll('SIGSTOP');
    for (const scrape of await Promise.all([...ports, ...ports, ...ports].map(scraped))) {
      expect(scrape).toContain('process_cpu_seconds_total');
      expect(scrape).not.toMatch(figure);
    }
    await signalAll('SIGCONT');
    for (const port of ports) await until('the figure', async () => (figure.test(await scraped(port)) ? true : null));
  },
  WITHIN_MS,
);
