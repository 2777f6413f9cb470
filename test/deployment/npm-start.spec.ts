/**
 * `npm start` and `npm run example`, started as a user does: ending npm ends all processes below it, and the folder can be started again.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, isRunning, treeOf } from '@app/testing/processes';
import { until } from '@app/testing/until';

const root = join(__dirname, '..', '..');
const WITHIN_MS = 400_000;
const readyWithinMs = 180_000;
const endWithinMs = 120_000;

let folder: string;
let ports: number[];
const pids = new Set<number>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-npm-'));
  ports = await freePorts(3);
});
afterAll(async () => {
  for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

interface Started {
  readonly child: ChildProcess;
  /** The ids of npm and all processes below it. */
  readonly family: readonly number[];
}

/** Runs npm in a process group of its own, as a terminal does, and waits until the output contains `words`. */
async function npm(args: readonly string[], words: string, more: Record<string, string> = {}): Promise<Started> {
  const env = { PORT: String(ports[0]), MANAGEMENT_PORT: String(ports[1]), PARLEY_DATA_DIR: join(folder, 'data') };
  const child = spawn('npm', [...args], {
    cwd: root,
    env: { ...process.env, ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // Reason for the assertion: it was started; if not, the test fails where it waits.
  pids.add(child.pid!);
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ready = async () => {
    if (child.exitCode !== null) throw new Error(`npm ended with ${child.exitCode}:\n${output}`);
    return Promise.resolve(output.includes(words) ? true : null);
  };
  await until(`"${words}"`, ready, readyWithinMs);
  const family = await treeOf(child.pid!);
  for (const pid of family) pids.add(pid);
  return { child, family };
}

async function untilAllEnded({ child, family }: Started, send: () => void): Promise<void> {
  const ended = once(child, 'exit');
  send();
  await ended;
  await until('the end of all', () => Promise.resolve(family.some(isRunning) ? null : true), endWithinMs);
}

const ways: [string, (pid: number) => void][] = [
  ['SIGTERM to npm alone', (pid) => process.kill(pid, 'SIGTERM')],
  ['SIGINT to npm alone', (pid) => process.kill(pid, 'SIGINT')],
  ["a terminal's Ctrl-C, which all of them get", (pid) => process.kill(-pid, 'SIGINT')],
];

it.each(ways)(
  'npm start ends with %s, in good order, and the folder starts again',
  async (_, send) => {
    const started = await npm(['start'], 'is ready');
    expect(started.family.length).toBeGreaterThan(3); // npm, the service, the event store, PostgreSQL
    const access = join(folder, 'data', 'sandbox.json');
    expect(existsSync(access)).toBe(true);
    await untilAllEnded(started, () => send(started.child.pid!));
    // The file is removed only at a clean stop.
    expect(existsSync(access)).toBe(false);
  },
  WITHIN_MS,
);

it(
  'npm run example ends with SIGTERM to npm alone',
  async () => {
    const settings = { PARLEY_BASE_URL: 'http://127.0.0.1:1', PARLEY_PARTNER_KEY: 'pk_none', PORT: String(ports[2]) };
    const started = await npm(['run', 'example'], `:${ports[2]}`, settings);
    await untilAllEnded(started, () => process.kill(started.child.pid!, 'SIGTERM'));
  },
  WITHIN_MS,
);
