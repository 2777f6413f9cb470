/**
 * Debian's Prometheus, with the shipped configuration and alert rules.
 *
 * Source: it is the product itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@app/testing/processes';
import { debianProgram } from '@app/testing/programs';
import { until } from '@app/testing/until';

export const shippedFolder = join(__dirname, '..', '..', 'docker');

/** A shipped file. */
export async function shipped(file: string): Promise<string> {
  return readFile(join(shippedFolder, file), 'utf8');
}

/** The names of the alerts in a file of rules, in its order. */
export function alertsIn(rules: string): string[] {
  return [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
}

/** Longer than `GET /metrics` waits for a database, because a target that takes longer than the interval counts as down. */
const scrapeEvery = '2s';
const alertAfter = '1s';
/** A rate needs two samples of a counter. */
const rateOver = '8s';

export interface ShippedPrometheus {
  readonly url: string;
  /** Names of the alerts that fire now. */
  firing(): Promise<ReadonlySet<string>>;
  stop(): Promise<void>;
}

/** Starts Prometheus for these management ports: the shipped files with their addresses, and with seconds in place of minutes. */
export async function startShippedPrometheus(ports: readonly number[]): Promise<ShippedPrometheus> {
  const program = await debianProgram('prometheus');
  const folder = await mkdtemp(join(tmpdir(), 'parley-prometheus-'));
  const targets = ports.map((port) => `'127.0.0.1:${port}'`).join(', ');
  const configuration = (await shipped('prometheus.yaml'))
    .replace(/scrape_interval: \S+/, `scrape_interval: ${scrapeEvery}`)
    .replace(/evaluation_interval: \S+/, 'evaluation_interval: 1s')
    .replace(/targets: \['api-1.*\]/, `targets: [${targets}]`);
  const rules = (await shipped('alerts.yaml'))
    .replace(/for: \S+/g, `for: ${alertAfter}`)
    .replaceAll('[5m]', `[${rateOver}]`);
  await writeFile(join(folder, 'prometheus.yaml'), configuration);
  await writeFile(join(folder, 'alerts.yaml'), rules);
  const [port] = await freePorts(1);
  const args = [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-4_000)));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  await until('Prometheus', async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}: ${said}`);
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok || null,
      () => null,
    );
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, firing: () => firingAt(url), stop };
}

interface Alerts {
  readonly data: {
    readonly alerts: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[];
  };
}

async function firingAt(url: string): Promise<ReadonlySet<string>> {
  // Reason for the assertion: Prometheus' HTTP API, "Alerts".
  const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as Alerts;
  return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
}
