import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverAccount } from './account';
import { prepareBinaries, type Binaries } from './binaries';
import { clusterFile, clusterFileSetting } from './cluster-file';
import { ensureCluster, ownFolder, SUPERUSER } from './cluster';
import { lockDataFolder, type DataFolder } from './data-folder';
import { readIfThere } from './files';
import { ensureOwned, rolePassword } from './owned-database';
import { guard, tieToUs } from './lifeline';
import { clearRemains } from './remains';
import { asAccount, CHILD_ENVIRONMENT, type Account } from './run';
import { PORT, settingArguments } from './settings';
import { socketFolder } from './socket-path';
import { whyNotStarted } from './start-words';

const READY_POLL_MS = 5;
/** Recovery after a crash replays at most `max_wal_size`, which takes seconds; this is for very slow disks. */
const READY_WAIT_MAX_MS = 300_000;
const FAST_STOP_MAX_MS = 20_000;
const IMMEDIATE_STOP_MAX_MS = 5_000;
const LAST_LINES_MAX = 20;
const LAST_LINES_WAIT_MAX_MS = 500;

export interface EmbeddedPostgres {
  /** Returns the superuser's connection URL of a database on this server, for administration. It contains the password. */
  url(database: string): string;
  /**
   * Returns the connection URL of a database that belongs to a role of the same name, which is not a superuser. Creates both when they are
   * missing, and hands over what the superuser once made in the database. For processes that serve clients.
   */
  owned(database: string): Promise<string>;
  /** Ends all sessions and the server, and releases the data folder. Safe to call twice. */
  stop(): Promise<void>;
  /** Resolves when the server has ended for any reason; the data folder is released then. */
  exited: Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Created when missing; holds the cluster, its password (0600) and its socket. Nothing else may be in it. */
  dataDir: string;
  /** Receives PostgreSQL's log line by line; without statements or values. */
  onLog?: (line: string) => void;
  /** PostgreSQL settings over the defaults, such as `{ fsync: 'off' }` in tests. */
  settings?: Record<string, string>;
  /** If aborted before the server is ready, ends whatever runs by then and rejects the start with its reason. */
  signal?: AbortSignal;
}

/**
 * Starts PostgreSQL 18 on `dataDir`, creating the cluster at the first start, and resolves when it accepts connections. It listens only on
 * a unix socket that no other user can reach, and ends with the thread that called this, even by kill -9. The remains of an earlier server
 * on the folder are cleaned up first; its data is kept.
 * Throws DataFolderInUse when a living process has the folder, DataFolderUnusable when its content cannot be used, and an Error with the
 * server's last log lines when it does not start for another reason.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = await lockDataFolder(options.dataDir);
  try {
    return await startOn(folder, options);
  } catch (error) {
    await folder.release();
    throw error;
  }
}

async function startOn(folder: DataFolder, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { signal } = options;
  const account = await serverAccount(folder);
  const binaries = await prepareBinaries(account);
  await clearRemains(folder.cluster);
  signal?.throwIfAborted();
  const { password } = await ensureCluster(folder, binaries, account, signal);
  const socket = await socketFolder(folder);
  const { server, ended, lastLines, dismissGuardian } = await spawnServer(folder, account, binaries, options);
  const exited = ended.then(async () => {
    dismissGuardian();
    await socket.remove();
    await folder.release();
  });
  // Callers see a failed cleanup when they await `exited` or `stop`; unhandled, it must not end the process.
  exited.catch(() => undefined);
  const stop = async (): Promise<void> => {
    await shutDown(server, ended);
    await exited;
  };
  try {
    await ready(server, folder, lastLines, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...urls(password, socket.path), stop, exited };
}

interface SpawnedServer {
  readonly server: ChildProcess;
  readonly ended: Promise<void>;
  /** Filled as the server writes its log. */
  readonly lastLines: readonly string[];
  readonly dismissGuardian: () => void;
}

/** Spawns the server so that it ends with this thread. */
async function spawnServer(
  folder: DataFolder,
  account: Account | undefined,
  binaries: Binaries,
  { settings = {}, onLog }: EmbeddedPostgresOptions,
): Promise<SpawnedServer> {
  const { command, prefix, byKernel } = await tieToUs('INT', binaries.postgres);
  const own = { ...settings, [clusterFileSetting]: await clusterFile(folder.cluster) };
  const args = [...prefix, '-D', ownFolder(folder.cluster, account), ...settingArguments(own)];
  const server = spawn(command, args, {
    cwd: folder.cluster,
    env: CHILD_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A session of its own: Ctrl-C in the terminal goes to us, and we stop the server when it is no longer needed.
    detached: true,
    ...asAccount(account),
  });
  const ended = new Promise<void>((resolve) => void server.once('exit', () => resolve()));
  const lastLines = followLog(server, onLog);
  await once(server, 'spawn');
  const guardian = byKernel || server.pid === undefined ? undefined : guard(server.pid);
  return { server, ended, lastLines, dismissGuardian: () => guardian?.dismiss() };
}

function urls(password: string, socketPath: string): Pick<EmbeddedPostgres, 'url' | 'owned'> {
  const url = (database: string): string => connectionUrl(SUPERUSER, password, database, socketPath);
  const owned = async (database: string): Promise<string> => {
    const role = { name: database, password: rolePassword(password, database) };
    await ensureOwned(url, database, role);
    return connectionUrl(role.name, role.password, database, socketPath);
  };
  return { url, owned };
}

/** Passes the log on, and keeps its last lines for an error. */
function followLog(server: ChildProcess, onLog: ((line: string) => void) | undefined): string[] {
  const lastLines: string[] = [];
  if (server.stderr === null) return lastLines;
  createInterface({ input: server.stderr }).on('line', (line) => {
    lastLines.push(line);
    if (lastLines.length > LAST_LINES_MAX) lastLines.shift();
    onLog?.(line);
  });
  return lastLines;
}

/** Waits until the server's `postmaster.pid` says that it accepts connections, as pg_ctl does. */
async function ready(
  server: ChildProcess,
  { cluster, path }: DataFolder,
  lastLines: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = performance.now() + READY_WAIT_MAX_MS;
  while (server.exitCode === null && server.signalCode === null) {
    signal?.throwIfAborted();
    const lines = (await readIfThere(join(cluster, 'postmaster.pid')))?.split('\n') ?? [];
    if (lines[0] === String(server.pid) && lines[7]?.trim() === 'ready') return;
    if (performance.now() > deadline) throw new Error(`PostgreSQL took more than ${READY_WAIT_MAX_MS} ms to start.`);
    await sleep(READY_POLL_MS);
  }
  await Promise.race([once(server, 'close'), sleep(LAST_LINES_WAIT_MAX_MS)]);
  throw whyNotStarted(path, lastLines, server.signalCode ?? `exit code ${server.exitCode}`);
}

async function shutDown(server: ChildProcess, ended: Promise<void>): Promise<void> {
  const signals = [
    { signal: 'SIGINT', waitMs: FAST_STOP_MAX_MS },
    { signal: 'SIGQUIT', waitMs: IMMEDIATE_STOP_MAX_MS },
    { signal: 'SIGKILL', waitMs: IMMEDIATE_STOP_MAX_MS },
  ] as const;
  for (const { signal, waitMs } of signals) {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    const patience = new AbortController();
    await Promise.race([ended, sleep(waitMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
  }
}

/**
 * `localhost` only makes it a URL that every parser accepts: `host`, the socket's folder, takes precedence. Port and SSL mode are given so
 * that PGPORT and PGSSLMODE in the environment have no effect.
 */
function connectionUrl(role: string, password: string, database: string, socketPath: string): string {
  // pg decodes with decodeURI only, so it could not restore these two characters.
  if (/[?#]/.test(database)) throw new Error(`A database whose name has ? or # cannot be named by URL: ${database}`);
  const query = `host=${encodeURIComponent(socketPath)}&sslmode=disable`;
  return `postgresql://${encodeURIComponent(role)}:${password}@localhost:${PORT}/${encodeURI(database)}?${query}`;
}
