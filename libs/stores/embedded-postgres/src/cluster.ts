import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { giveTo } from './account';
import type { Binaries } from './binaries';
import { DataFolderUnusable, type DataFolder } from './data-folder';
import { whyNotMade } from './initdb-words';
import { tieToUs } from './lifeline';
import { clearRemains, goneWithin } from './remains';
import { readIfThere } from './files';
import { run, type Account } from './run';

export const SUPERUSER = 'postgres';
const PASSWORD_FILE = 'password';
const PASSWORD_BYTES = 32;
const FED_SERVER_END_MAX_MS = 5_000;
const UNFINISHED = 'cluster.new-';

/**
 * The path by which a command that runs in `cluster` and as `account` refers to that folder. Another account may be unable to enter the
 * folders above it (such as /root); through its own working folder, which root chose for it, it needs none of them.
 */
export function ownFolder(cluster: string, account: Account | undefined): string {
  return account !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : cluster;
}

/**
 * Creates the cluster at the first start, and returns the superuser's password. `initdb` works in a neighbouring folder that is renamed
 * when everything is on disk, so a kill at any moment leaves no half-made cluster.
 * Throws when the cluster was made by another major version, or its password is lost.
 */
export async function ensureCluster(
  folder: DataFolder,
  binaries: Binaries,
  account: Account | undefined,
  signal: AbortSignal | undefined,
): Promise<{ password: string }> {
  await removeUnfinished(folder);
  const major = (await readIfThere(join(folder.cluster, 'PG_VERSION')))?.trim();
  const known = (await readIfThere(join(folder.path, PASSWORD_FILE)))?.trim();
  if (major === undefined) {
    // An empty file counts as missing, because a full disk leaves one.
    const password = known !== undefined && known !== '' ? known : randomBytes(PASSWORD_BYTES).toString('base64url');
    await folder.write(PASSWORD_FILE, `${password}\n`);
    await makeCluster(folder, binaries, account, signal);
    return { password };
  }
  if (major !== binaries.major) {
    const maker = /^\d{1,4}$/.test(major) ? `PostgreSQL ${major}` : 'no PostgreSQL that is known';
    throw new DataFolderUnusable(
      `${folder.cluster} was made by ${maker} and cannot be read by ${binaries.major}: ` +
        'dump it with the one that made it and restore it into an empty folder, or choose another data folder',
    );
  }
  if (!known) throw new DataFolderUnusable(`${join(folder.path, PASSWORD_FILE)} is lost: put it back from a backup`);
  // Root may have copied or restored the folder without its owners, and once shared `nobody` with others.
  if (account !== undefined) await giveTo(account, folder.cluster);
  return { password: known };
}

async function removeUnfinished(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(folder.path, name);
    // The server that a killed initdb was feeding sees its input end and, given the time, releases its shared memory.
    await goneWithin(path, FED_SERVER_END_MAX_MS);
    await clearRemains(path);
    await rm(path, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function makeCluster(
  folder: DataFolder,
  binaries: Binaries,
  account: Account | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const making = await mkdtemp(join(folder.path, UNFINISHED));
  const passwordFile = await open(join(folder.path, PASSWORD_FILE), 'r');
  try {
    if (account !== undefined) {
      await chown(making, account.uid, account.gid);
      // initdb reopens the file by the descriptor it was given: it needs access to the file, but not to the folder.
      await passwordFile.chown(account.uid, account.gid);
    }
    const { command, prefix } = await tieToUs('KILL', binaries.initdb);
    const { code, output } = await run(command, [...prefix, ...initdbArguments(ownFolder(making, account))], {
      cwd: making,
      account,
      inherited: { fd: passwordFile.fd, as: 'stdin' },
      signal,
    });
    signal?.throwIfAborted();
    if (code !== 0) throw new DataFolderUnusable(whyNotMade(folder.path, code, output));
    await rename(making, folder.cluster);
    const directory = await open(folder.path, 'r');
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    // The server that a killed initdb was feeding may still write; the next start removes what remains.
    await goneWithin(making, FED_SERVER_END_MAX_MS);
    await rm(making, { recursive: true, force: true, maxRetries: 10 });
    throw error;
  } finally {
    await passwordFile.close();
  }
}

/** Text is UTF-8 and compared byte by byte, so sorting is fast and the same on every system. Data checksums are on. */
function initdbArguments(dataDirectory: string): string[] {
  return [
    '-D',
    dataDirectory,
    '-U',
    SUPERUSER,
    '-A',
    'scram-sha-256',
    '--pwfile=/dev/stdin',
    '--no-instructions',
    '-E',
    'UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
  ];
}
