import { lchown, lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from './data-folder';
import { statIfThere } from './files';
import type { Account } from './run';

/** Accounts without login or files of their own. `initdb` insists on one that the system knows by name. */
const UNPRIVILEGED_NAMES: readonly string[] = process.platform === 'darwin' ? ['_postgres'] : ['nobody'];

/**
 * Who PostgreSQL runs as: undefined for "as ourselves". The server refuses to run as root, so root runs it as whoever
 * owns the cluster, or the data folder, and as an unprivileged account when that is root as well.
 */
export async function serverAccount(folder: DataFolder): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const path of [folder.cluster, folder.path]) {
    const owner = await statIfThere(path);
    if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  return unprivilegedAccount();
}

/** Gives a folder and all in it to `account`; symbolic links themselves, never what they point at. */
export async function giveTo(account: Account, path: string): Promise<void> {
  await lchown(path, account.uid, account.gid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const entry of await readdir(path)) await giveTo(account, join(path, entry));
}

async function unprivilegedAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of UNPRIVILEGED_NAMES) {
    const fields = lines.find((candidate) => candidate[0] === name);
    const uid = Number(fields?.[2]);
    const gid = Number(fields?.[3]);
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  throw new Error(
    `PostgreSQL cannot run as root, and /etc/passwd has none of ${UNPRIVILEGED_NAMES.join(', ')}: ` +
      'start this program as an ordinary user.',
  );
}
