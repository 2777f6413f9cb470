/** The real nginx and haproxy, of Debian, with the configuration that is shipped for each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianProgram } from '../support/debian';
import { freePorts, isReady } from '../support/deployment-process';
import { until } from '../support/until';

const shipped = {
  nginx: { file: 'nginx.conf', listen: 'listen 8080', args: (path: string) => ['-c', path, '-g', 'daemon off;'] },
  haproxy: { file: 'haproxy.cfg', listen: 'bind :8080', args: (path: string) => ['-db', '-f', path] },
} as const;

export interface ShippedProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it before these replicas: its own file with their addresses, and nothing else changed. */
export async function startShippedProxy(
  name: keyof typeof shipped,
  baseUrls: readonly string[],
): Promise<ShippedProxy> {
  const { file, listen, args } = shipped[name];
  const program = await debianProgram(name);
  const folder = await mkdtemp(join(tmpdir(), `parley-${name}-`));
  const [port] = await freePorts(1);
  const text = await readFile(join(__dirname, '..', '..', 'docker', file), 'utf8');
  const path = join(folder, file);
  await writeFile(
    path,
    baseUrls
      .reduce(withReplica, text)
      .replace(listen, `${listen.split(/:?8/)[0]}127.0.0.1:${port}`)
      .replaceAll('/tmp/', `${folder}/`)
      .replace('/dev/stdout', `${folder}/access.log`),
  );
  const child = spawn(program, args(path), { stdio: ['ignore', 'ignore', 'pipe'] });
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
  await until(name, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
    return (await isReady(url)) ? true : null;
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, stop };
}

function withReplica(text: string, baseUrl: string, index: number): string {
  return text.replaceAll(`api-${index + 1}:8080`, new URL(baseUrl).host);
}
