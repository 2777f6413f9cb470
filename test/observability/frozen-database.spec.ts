/** A database that stands still: the management port answers within its bound, with what the process knows by itself. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorking, type RunningProcess } from '@app/composition';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@app/embedded-postgres';
import { Configuration } from '@app/runtime';
import { partOf } from '../e2e/journeys';
import { startDeployment, type Deployment } from '../support/deployment';
import { freePorts } from '../support/deployment-process';
import { treeOf } from '../support/process-tree';
import { until } from '../support/until';

const WITHIN_MS = 240_000;
/** Many times the second that a scrape may wait, and far less than a statement may. */
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
afterAll(async () => {
  await signalAll('SIGCONT');
  await worker.stop();
  await deployment.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}, WITHIN_MS);

/** To PostgreSQL and each of its backends. */
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
