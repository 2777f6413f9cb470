/**
 * Debian's real pgbouncer in front of a test's database: a pooler as operators use it.
 *
 * Source: it is the product itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { debianProgram } from './debian';
import { freePorts } from '../processes/free-ports';
import { startPostgresProxy } from '../stores/postgres-proxy';
import { until } from '../until/until';

/** Used because pgbouncer refuses to run as root. */
const nobody = 65_534;

export interface Pgbouncer {
  /** URL of the database through pgbouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/** @param settings lines of its configuration, such as the size of its pool */
export async function startPgbouncer(
  databaseUrl: string,
  poolMode: 'session' | 'transaction' | 'statement',
  settings: readonly string[] = [],
): Promise<Pgbouncer> {
  const program = await debianProgram('pgbouncer');
  // By TCP, because the socket of the tests' PostgreSQL is only for its own user.
  const way = await startPostgresProxy(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'parley-pgbouncer-'));
  const [port] = await freePorts(1);
  const { hostname, port: behind, username, password, pathname } = new URL(way.url);
  const target = `host=${hostname} port=${behind} user=${username} password=${decodeURIComponent(password)}`;
  const lines = [
    '[databases]',
    `* = ${target}`,
    '[pgbouncer]',
    `pool_mode = ${poolMode}`,
    'auth_type = any',
    'unix_socket_dir =',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    ...settings,
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const child = spawn(program, [file], { stdio: 'ignore', ...account });
  const url = `postgres://anybody@127.0.0.1:${port}${pathname}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await way.close();
    await rm(folder, { recursive: true, force: true });
  };
  await until('pgbouncer', async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
    return (await answers(url)) ? true : null;
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined); // the statement in flight fails with it
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false; // it does not listen yet
  } finally {
    await client.end();
  }
}
