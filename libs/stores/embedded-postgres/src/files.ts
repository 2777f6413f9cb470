import { readFile, stat } from 'node:fs/promises';

/** The `code` of a Node system error (`ENOENT`, …); undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  // Not `instanceof Error`: in jest's module registry, errors of Node itself are of another realm.
  const found = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** Returns the text of a file; undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(absent);
}

/** Returns the result of `stat`; undefined when the path does not exist. */
export async function statIfThere(
  path: string,
): Promise<{ uid: number; gid: number; ino: number; dev: number } | undefined> {
  return stat(path).catch(absent);
}

function absent(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
