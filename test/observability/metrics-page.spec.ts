/**
 * docs/metrics.md names every metric of both roles: its meaning, its labels, and the processes that show it. Each is described once, where
 * it is created.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServing, startWorking, type RunningProcess } from '@app/composition';
import { Metrics } from '@app/runtime';
import { Configuration } from '@app/settings';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { partOf } from '@app/testing/journeys';
import { LoopbackMcp } from '@app/testing/mcp';
import { LoopbackModels } from '@app/testing/models';
import { freePorts } from '@app/testing/processes';

const page = join(__dirname, '..', '..', 'docs', 'metrics.md');
/** Metrics of Node and the process itself, from `prom-client`. */
const ofNode = /^(process|nodejs)_/;

/** The description of a metric in `prom-client`. */
interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

let models: LoopbackModels;
let mcp: LoopbackMcp;
let deployment: Deployment;
const running: RunningProcess[] = [];
beforeAll(async () => {
  models = await LoopbackModels.start('openai-compatible');
  mcp = await LoopbackMcp.start();
  const server = { name: 'docs', transport: { type: 'http', url: mcp.url }, consent: 'auto' };
  const optional = { WALLET_PROVIDER: 'near-intents', MCP_SERVERS: JSON.stringify([server]), ...models.environment() };
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', ...optional } });
  const { env } = partOf(deployment, Configuration);
  const [PORT = 0, ofApi = 0, ofWorker = 0] = await freePorts(3);
  running.push(
    await startServing(new Configuration({ ...env, PORT, MANAGEMENT_PORT: ofApi }), { api: true, worker: false }),
    await startWorking(new Configuration({ ...env, MANAGEMENT_PORT: ofWorker })),
  );
});
afterAll(async () => {
  for (const each of running) await each.stop();
  await deployment.stop();
  await mcp.stop();
  await models.close();
});

function metricsOf({ app }: RunningProcess): readonly Described[] {
  const { registry } = app.get(Metrics, { strict: false });
  // Reason for the assertion: the types of `prom-client` omit the descriptions of its metrics.
  const all = registry.getMetricsAsArray() as unknown as Described[];
  return all.filter(({ name }) => !ofNode.test(name));
}

function pageOf(ofApi: readonly Described[], ofWorker: readonly Described[]): string {
  const named = (all: readonly Described[]) => new Set(all.map(({ name }) => name));
  const [inApi, inWorker] = [named(ofApi), named(ofWorker)];
  const all = [...new Map([...ofApi, ...ofWorker].map((one) => [one.name, one])).values()];
  const rows = all
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, type, labelNames, help }) => {
      const shownBy = inApi.has(name) ? (inWorker.has(name) ? 'both' : 'api') : 'worker';
      return `| \`${name}\` | ${type} | ${labelNames.map((label) => `\`${label}\``).join(', ')} | ${shownBy} | ${help} |`;
    });
  return [
    '# Metrics',
    '',
    '`GET /metrics` on `MANAGEMENT_PORT` of every api and worker, for Prometheus; `npm start` is both in one. `process_…` and `nodejs_…`, of the process and of Node, come with them.',
    'Each process reads the figures of the whole deployment from the database at each scrape: take the `max` of them, never the sum. While the database does not answer within a second they are absent, and `parley_check_ok{check="database"}` is 0.',
    'Alerts on them are in [docker/alerts.yaml](../docker/alerts.yaml), each with a page of the [runbook](runbook.md); [docker/dashboard.json](../docker/dashboard.json) shows all of them in Grafana.',
    '',
    '<!-- Written by `WRITE=1 npx jest test/observability/metrics-page` from what each metric says of itself in the code. -->',
    '',
    '| Metric | Kind | Labels | Shown by | Meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

it('is what the processes show', async () => {
  const [api, worker] = running;
  const text = pageOf(metricsOf(api!), metricsOf(worker!));
  if (process.env['WRITE'] !== undefined) await writeFile(page, text);
  expect(await readFile(page, 'utf8')).toBe(text);
});

it('has names as Prometheus wants them', () => {
  for (const { name, type, help } of running.flatMap(metricsOf)) {
    expect(name).toMatch(/^(parley|http)_[a-z_]+$/);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z].*[^.]$/)]);
  }
});
