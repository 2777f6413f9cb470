/**
 * The files shipped for operators are consistent: Prometheus accepts them, they query existing metrics, and each alert has its page in the
 * runbook.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { reasons } from '@app/kernel';
import { Metrics } from '@app/runtime';
import { debianProgram, installedWithinMs } from '@app/testing/programs';
import { expressionsIn, shippedDashboard, type Dashboard, type Panel } from './shipped-dashboard';
import { alertsIn, shipped, shippedFolder } from './shipped-prometheus';

const run = promisify(execFile);
const docs = join(shippedFolder, '..', 'docs');
/** The number of columns of a dashboard in Grafana. */
const columns = 24;
const ofHistograms = /_(bucket|count|sum)$/;

/** The labels of each metric: ours from docs/metrics.md, which another test compares with the processes, and Node's. */
let metrics: ReadonlyMap<string, readonly string[]>;
let rules: string;
let dashboard: Dashboard;
beforeAll(async () => {
  await debianProgram('prometheus');
  rules = await shipped('alerts.yaml');
  dashboard = await shippedDashboard();
  const page = await readFile(join(docs, 'metrics.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| \w+ \| (.*?) \|/gm)];
  const documented = rows.map(([, name = '', labels = '']) => [name, labels.match(/\w+/g) ?? []] as const);
  const ofNode = new Metrics().registry.getMetricsAsArray().map(({ name }) => [name, []] as const);
  metrics = new Map<string, readonly string[]>([...documented, ...ofNode]);
}, installedWithinMs);

async function promtool(...args: readonly string[]): Promise<void> {
  await run(join(dirname(await debianProgram('prometheus')), 'promtool'), [...args]);
}

function ruleExpressions(): string[] {
  return [...rules.matchAll(/expr: (?:>-\n)?([\s\S]*?)\n +for:/g)].map(([, expr = '']) => expr);
}

/** The names of our metrics and Node's in an expression. */
function namesIn(expression: string): string[] {
  return (expression.match(/\b(?:parley|http|process|nodejs)_\w+/g) ?? []).map((name) =>
    metrics.has(name) ? name : name.replace(ofHistograms, ''),
  );
}

function overlap({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;
}

describe('docker/alerts.yaml', () => {
  it('is taken by promtool, and the configuration that names it', async () => {
    await promtool('check', 'config', join(shippedFolder, 'prometheus.yaml'));
  });

  it('has a page of the runbook for each alert, with all of its parts, and no other page', async () => {
    const runbook = await readFile(join(docs, 'runbook.md'), 'utf8');
    const [alerts = ''] = runbook.split(/^## Drills$/m);
    const pages = alerts.split(/^## /m).slice(1);
    expect(pages.map((page) => page.split('\n')[0])).toEqual(alertsIn(rules));
    const parts = ['Users', 'Look', 'Do', 'Over'].map((part) => `- **${part}**`);
    for (const page of pages) expect(page.match(/^- \*\*\w+\*\*/gm)).toEqual(parts);
    const linked = [...rules.matchAll(/runbook: docs\/runbook\.md#(\w+)/g)].map(([, anchor]) => anchor);
    expect(linked).toEqual(alertsIn(rules).map((name) => name.toLowerCase()));
  });
});

it('the runbook names metrics and settings that there are, and says the status of a reason as callers get it', async () => {
  const runbook = await readFile(join(docs, 'runbook.md'), 'utf8');
  const named = [...runbook.matchAll(/`((?:parley|http)_\w+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !metrics.has(name))).toEqual([]);
  const configuration = await readFile(join(docs, 'configuration.md'), 'utf8');
  const settings = [...runbook.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)/g)].map(([, name = '']) => name);
  expect(settings.length).toBeGreaterThan(8);
  expect(settings.filter((name) => !configuration.includes(`\`${name}\``))).toEqual([]);
  const statuses = [...runbook.matchAll(/(\d{3}) `(\w+)`/g)].map(([, status, reason = '']) => [reason, Number(status)]);
  expect(statuses.length).toBeGreaterThan(2);
  const known = new Map<string, number>(Object.entries(reasons).map(([reason, { status }]) => [reason, status]));
  expect(statuses).toEqual(statuses.map(([reason]) => [reason, known.get(String(reason))]));
});

describe('docker/dashboard.json', () => {
  it('has panels with a title, a meaning and a place of their own', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const panel of panels) {
      expect(panel.title).not.toBe('');
      if (panel.type !== 'row') expect([panel.title, panel.description]).toEqual([panel.title, expect.any(String)]);
      expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(columns);
      const others = panels.filter((other) => other !== panel && overlap(panel, other));
      expect([panel.title, others.map(({ title }) => title)]).toEqual([panel.title, []]);
    }
  });

  it('asks what Prometheus can parse', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-expressions-'));
    const file = join(folder, 'rules.json'); // YAML includes JSON
    const asked = expressionsIn(dashboard).map((expr, index) => ({ record: `panel:${index}`, expr }));
    await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules: asked }] }));
    await promtool('check', 'rules', file).finally(() => rm(folder, { recursive: true, force: true }));
  });
});

it('rules and panels name metrics and labels that there are, and panels show all metrics of ours', () => {
  const expressions = [...ruleExpressions(), ...expressionsIn(dashboard)];
  expect(expressions.length).toBeGreaterThan(alertsIn(rules).length);
  for (const expression of expressions) {
    const names = namesIn(expression);
    expect([expression, names.filter((name) => !metrics.has(name))]).toEqual([expression, []]);
    const known = new Set([
      'le',
      'instance',
      'job',
      'alertname',
      'alertstate',
      ...names.flatMap((name) => metrics.get(name) ?? []),
    ]);
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, ?/));
    const matched = [...expression.matchAll(/[{,](\w+)(?:=|!=|=~|!~)"/g)].map(([, label = '']) => label);
    expect([expression, [...grouped, ...matched].filter((label) => !known.has(label))]).toEqual([expression, []]);
  }
  const shown = new Set(expressionsIn(dashboard).flatMap(namesIn));
  const ours = [...metrics.keys()].filter((name) => /^(parley|http)_/.test(name));
  expect(ours.filter((name) => !shown.has(name))).toEqual([]);
});
