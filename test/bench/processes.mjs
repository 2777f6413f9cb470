// Programs that run beside the load generator, each in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const stopWithinMs = 15_000;
const folder = path.dirname(fileURLToPath(import.meta.url));

/** The processes that run now; none of them outlives this one. */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a Node program.
 * @param {{env?: object, cwd?: string, args?: string[], stdout?: 'pipe' | number, stderr?: 'inherit' | number}} options `args` are Node's own; numbers are file descriptors
 */
export function startNode(script, { env = {}, cwd = folder, args = [], stdout = 'pipe', stderr = 'inherit' }) {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [...args, script], {
    cwd,
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), NODE_ENV: 'production', ...env },
    stdio: ['ignore', stdout, stderr],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** The first line that a program writes to its standard output. Throws when it ends before. */
export async function firstLine(child) {
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => text);
  const ended = once(child, 'exit').then(() => undefined);
  const text = await Promise.race([line, ended]);
  if (text === undefined) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`);
  return text;
}

/** Ends a program: gently, then by force. */
export async function stop(child) {
  if (!running.has(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await ended;
  clearTimeout(force);
}

/** Starts a server of `baselines`, which prints its port: its process and address, and how to stop it. */
export async function startBaseline(name, env = {}, args = []) {
  const child = startNode(path.join(folder, 'baselines', `${name}.mjs`), { env, args });
  const url = `http://127.0.0.1:${await firstLine(child)}`;
  return { child, url, stop: () => stop(child) };
}

/** A TCP port that is free at this moment. */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
