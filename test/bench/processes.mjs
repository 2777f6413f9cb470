// Programs that run next to the load generator, each in a separate process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { profileArgs } from './profiles.mjs';

const stopWithinMs = 15_000;
const folder = path.dirname(fileURLToPath(import.meta.url));

/** The running processes; none of them outlives this one. */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a program.
 * @param {{env?: object, cwd?: string, stdout?: 'pipe' | number, stderr?: 'inherit' | number}} options numbers are file descriptors
 */
export function start(command, args, { env = {}, cwd = folder, stdout = 'pipe', stderr = 'inherit' }) {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), NODE_ENV: 'production', ...env },
    stdio: ['ignore', stdout, stderr],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/**
 * Starts a Node program. `name` is its name in profiles; `args` are Node's own. The other options are those of `start`.
 */
export function startNode(name, script, { args = [], ...options }) {
  return start(process.execPath, [...profileArgs(name), ...args, script], options);
}

/** The first line that a program writes to its standard output. Throws if the program ends before. */
export async function firstLine(child) {
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => text);
  const ended = once(child, 'exit').then(() => undefined);
  const text = await Promise.race([line, ended]);
  if (text === undefined) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`);
  return text;
}

/** Ends a program: with SIGTERM, then by force. */
export async function stop(child) {
  if (!running.has(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await ended;
  clearTimeout(force);
}

/**
 * Starts a server of `baselines`, which prints its port. Returns its process, its address, and a function that stops
 * it.
 */
export async function startBaseline(name, env = {}, args = []) {
  const baselines = path.join(folder, 'baselines');
  // Deprecations concern the authors of the libraries; whoever measures needs no warnings.
  const own = ['--no-deprecation', '--import', path.join(baselines, 'ending.mjs')];
  const child = startNode(`baseline ${name}`, path.join(baselines, `${name}.mjs`), { env, args: [...own, ...args] });
  const url = `http://127.0.0.1:${await firstLine(child)}`;
  return { child, url, stop: () => stop(child) };
}

/** A TCP port that is currently free. */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
