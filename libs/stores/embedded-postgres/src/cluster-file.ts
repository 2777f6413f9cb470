import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A setting of our own in which sessions read what `clusterFile` answers. */
export const clusterFileSetting = 'parley.cluster_file';

/**
 * Inode and time of birth (in ms) of a file that `initdb` writes and nothing writes again, with `/` between: a copy of the folder has
 * others, and the folder under another name has the same.
 */
export async function clusterFile(cluster: string): Promise<string> {
  const { ino, birthtimeMs } = await stat(join(cluster, 'PG_VERSION'));
  return `${ino}/${Math.trunc(birthtimeMs)}`;
}
