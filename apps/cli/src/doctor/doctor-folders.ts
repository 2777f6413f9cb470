import { restoringFolder } from '@app/database-copies';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf, finding, type Finding } from './doctor-finding';

const freeBytesMin = 256 * 1024 ** 2;
const freeBytesAmple = 2 * 1024 ** 3;

/** Whether the data folder and that of artifacts can be used or created, and have space. Creates and changes nothing. */
export async function folderFindings(dataDir: string): Promise<readonly Finding[]> {
  const trouble = await troubleOf(dataDir);
  if (trouble !== null) return [finding('data folder', 'bad', `${trouble}: repair it, or correct PARLEY_DATA_DIR`)];
  if (!(await isThere(dataDir))) return [finding('data folder', 'ok', `${dataDir} is not there yet`)];
  if (await isThere(join(dataDir, restoringFolder)))
    return [finding('data folder', 'bad', `a restore into ${dataDir} was cut off: run parley restore again`)];
  const artifacts = await troubleOf(join(dataDir, 'artifacts'));
  if (artifacts !== null) return [finding('artifacts', 'bad', `${artifacts}: repair it`)];
  return [await room(dataDir)];
}

async function room(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const says = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${dataDir}`;
  if (free < freeBytesMin) return finding('disk', 'bad', `${says}: make room, writes are about to fail`);
  return free < freeBytesAmple ? finding('disk', 'warning', `${says}: make room`) : finding('disk', 'ok', says);
}

/** Why a folder cannot be used or, if it is missing, created; null when it can. */
async function troubleOf(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isDirectory()) return `${path} is no folder`;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return troubleAbove(path);
    return code === 'ENOTDIR' ? troubleAbove(path) : `${path} cannot be read by this user (${code ?? String(error)})`;
  }
  const needed = constants.R_OK | constants.W_OK | constants.X_OK;
  return access(path, needed).then(
    () => null,
    (error: unknown) => `${path} cannot be read and written by this user (${codeOf(error) ?? String(error)})`,
  );
}

async function troubleAbove(path: string): Promise<string | null> {
  const parent = dirname(resolve(path));
  if (parent === resolve(path)) return `${path} is not there`;
  const trouble = await troubleOf(parent);
  return trouble === null ? null : `${path} cannot be made: ${trouble}`;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
