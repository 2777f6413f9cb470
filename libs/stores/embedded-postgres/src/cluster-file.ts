import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A setting of our own in which sessions can read the result of `clusterFile`. */
export const clusterFileSetting = 'parley.cluster_file';

/**
 * Inode and birth time (in ms) of a file that `initdb` writes and that never changes later, separated by `/`. They differ in a copy of the
 * folder, and stay the same when the folder is renamed.
 */
export async function clusterFile(cluster: string): Promise<string> {
  const { ino, birthtimeMs } = await stat(join(cluster, 'PG_VERSION'));
  return `${ino}/${Math.trunc(birthtimeMs)}`;
}
