import { lchown, lstat, readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataFolderUnusable, type DataFolder } from './data-folder';
import { run, type Account } from './run';

/** Reserved for the server: another process under this account could rewrite the server's files, and so let anyone in. */
const ACCOUNT_NAME = process.platform === 'darwin' ? '_postgres' : 'parley-postgres';
/** Another process may be changing the accounts of this system. */
const MAKE_TRIES_MAX = 20;
const MAKE_PAUSE_MS = 100;

/**
 * The account that PostgreSQL runs as; undefined for our own. The server refuses to run as root, so root runs it as the owner of the data
 * folder, or, if root owns that, as an account that is created for it.
 */
export async function serverAccount(folder: DataFolder): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(folder.path);
  return owner.uid === 0 ? ownAccount() : { uid: owner.uid, gid: owner.gid };
}

/**
 * Gives a folder and all in it to `account`; symbolic links themselves, never their targets. From the top down, so that the former owner
 * can no longer change what was given away. Throws DataFolderUnusable for another owner's file that has a second hard link, because that
 * may be anyone's file.
 */
export async function giveTo(account: Account, path: string): Promise<void> {
  const found = await lstat(path);
  if (found.uid !== account.uid || found.gid !== account.gid) {
    if (found.isFile() && found.nlink > 1)
      throw new DataFolderUnusable(`${path} has another name elsewhere, and no PostgreSQL made it so: remove it`);
    await lchown(path, account.uid, account.gid);
  }
  if (!found.isDirectory()) return;
  for (const entry of await readdir(path)) await giveTo(account, join(path, entry));
}

/** Creates the account, because `initdb` insists on one that the system knows by name. It has no login, no home and no files but ours. */
async function ownAccount(): Promise<Account> {
  let output = '';
  for (let tried = 0; tried < MAKE_TRIES_MAX; tried += 1) {
    const known = await accountOf(ACCOUNT_NAME);
    if (known !== undefined) return known;
    ({ output } = await makeAccount());
    await sleep(MAKE_PAUSE_MS);
  }
  throw new DataFolderUnusable(
    `PostgreSQL cannot run as root, and no account ${ACCOUNT_NAME} can be made for it (${output.split('\n')[0]}): ` +
      'make one with useradd --system, start this program as an ordinary user, or set DATABASE_URL',
  );
}

async function makeAccount(): Promise<{ output: string }> {
  const flags = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  try {
    return await run('useradd', [...flags, '--shell', '/usr/sbin/nologin', ACCOUNT_NAME]);
  } catch (error) {
    return { output: String(error) };
  }
}

async function accountOf(name: string): Promise<Account | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const fields = lines.find((candidate) => candidate[0] === name);
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
  return uid > 0 && gid > 0 ? { uid, gid } : undefined;
}
