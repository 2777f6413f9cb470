import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** A process, all that it has started, and what those have; Linux only. */
export async function treeOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''); // it ended meanwhile
    const parent = /\) \S (\d+) /.exec(stat)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

/** A zombie, which waits for a parent that may never look, does not run. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false; // it is gone, perhaps since a moment
  }
}
