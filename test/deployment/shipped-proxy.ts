/**
 * Debian's nginx, haproxy, Apache and Caddy, each with the configuration that is shipped for it.
 *
 * Source: they are the products themselves.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianProgram } from '@app/testing/programs';
import { freePorts, isReady } from '@app/testing/processes';
import { until } from '@app/testing/until';

const shipped = {
  nginx: {
    file: 'nginx.conf',
    program: 'nginx',
    listen: 'listen 8080',
    args: (path: string) => ['-c', path, '-g', 'daemon off;'],
  },
  haproxy: {
    file: 'haproxy.cfg',
    program: 'haproxy',
    listen: 'bind :8080',
    args: (path: string) => ['-db', '-f', path],
  },
  apache: {
    file: 'apache.conf',
    program: 'apache2',
    listen: 'Listen 8080',
    args: (path: string) => ['-f', path, '-DFOREGROUND'],
  },
  caddy: {
    file: 'Caddyfile',
    program: 'caddy',
    listen: 'http://:8080',
    args: (path: string) => ['run', '--config', path, '--adapter', 'caddyfile'],
  },
} as const;

/** Characters of a proxy's messages that are kept. */
const keptLength = 200_000;

export type ProxyName = keyof typeof shipped;

export interface ShippedProxy {
  readonly url: string;
  /** The end of its error log without the results of health checks: the reasons for answers of its own. */
  errors(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the proxy in front of these replicas: the shipped file with their addresses, and nothing else changed. */
export async function startShippedProxy(name: ProxyName, baseUrls: readonly string[]): Promise<ShippedProxy> {
  const { file, listen, args, program } = shipped[name];
  const command = await debianProgram(program);
  const folder = await mkdtemp(join(tmpdir(), `parley-${name}-`));
  const [port] = await freePorts(1);
  const text = await readFile(join(__dirname, '..', '..', 'docker', file), 'utf8');
  const path = join(folder, file);
  await writeFile(
    path,
    baseUrls
      .reduce(withReplica, text)
      .replace(listen, listen.replace(/:?8080/, `127.0.0.1:${port}`))
      .replaceAll('/tmp/', `${folder}/`)
      .replace('/dev/stdout', `${folder}/access.log`)
      .replace('/dev/stderr', `${folder}/error.log`),
  );
  const env = { PATH: process.env['PATH'], HOME: folder };
  const child = spawn(command, args(path), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-keptLength)));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  await until(name, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
    return (await isReady(url)) ? true : null;
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const errorLog = join(folder, 'error.log');
  const errors = async (): Promise<string> => {
    // Only Apache has such a file: the others log to standard error.
    const logged = existsSync(errorLog) ? await readFile(errorLog, 'utf8') : '';
    const lines = (said + logged).split('\n').filter((line) => !line.includes('health_checker'));
    return lines.slice(-20).join('\n');
  };
  return { url, errors, stop };
}

function withReplica(text: string, baseUrl: string, index: number): string {
  return text.replaceAll(`api-${index + 1}:8080`, new URL(baseUrl).host);
}
