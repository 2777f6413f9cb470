// The memory of a process, as measured by itself and by the system.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const answerWithinMs = 20_000;
const pollMs = 20;

/** Arguments of Node that `liveBytes` and `heldBytes` require. */
export const memoryArgs = ['--expose-gc', '--import', fileURLToPath(new URL('memory-probe.mjs', import.meta.url))];

/** The environment of a process started with `memoryArgs`: the file that it writes. */
export const memoryEnv = (folder, name) => ({ MEMORY_FILE: path.join(folder, `${name}.memory`) });

/** Bytes in use after a garbage collection, by objects and by buffers outside the heap. */
export async function liveBytes(child, env) {
  const { live } = await heldBytes(child, env);
  return live;
}

/** `live` as in `liveBytes`, and `resident`: the bytes that the process then holds in RAM, mapped files included. */
export async function heldBytes(child, { MEMORY_FILE: file }) {
  rmSync(file, { force: true });
  child.kill('SIGUSR2');
  const deadline = performance.now() + answerWithinMs;
  while (!existsSync(file)) {
    if (performance.now() > deadline) throw new Error(`process ${child.pid} does not tell its memory`);
    await sleep(pollMs);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Bytes that the process holds in RAM now, without mapped files. */
export function residentBytes(child) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(status);
  if (found === null) throw new Error(`process ${child.pid} has ended`);
  return Number(found[1]) * 1024;
}
