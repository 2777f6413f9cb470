// What a process keeps in memory, as the process itself sees it and as its system does.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const answerWithinMs = 20_000;
const pollMs = 20;

/** What Node must be started with for `liveBytes` and `heldBytes`. */
export const memoryArgs = ['--expose-gc', '--import', fileURLToPath(new URL('memory-probe.mjs', import.meta.url))];

/** Where a process that was started with `memoryArgs` is to write, as its environment says. */
export const memoryEnv = (folder, name) => ({ MEMORY_FILE: path.join(folder, `${name}.memory`) });

/** Bytes that are still used after garbage was collected, by objects and by buffers outside the heap. */
export async function liveBytes(child, env) {
  const { live } = await heldBytes(child, env);
  return live;
}

/** The same, and what the process then holds in RAM, with its files: `{live, resident}`. */
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

/** Bytes that the process holds in RAM right now, without files. */
export function residentBytes(child) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(status);
  if (found === null) throw new Error(`process ${child.pid} has ended`);
  return Number(found[1]) * 1024;
}
