/**
 * A signal at any moment of the start, with or without a second one: the start ends soon, leaves no process running, and the folder starts
 * again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, isRunning, TestProcess } from '@app/testing/processes';
import { until } from '@app/testing/until';

const root = join(__dirname, '..', '..');
let folder: string;
let ports: number[];
const started: TestProcess[] = [];
let startedAtMs = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-interrupted-'));
  ports = await freePorts(2);
});
afterAll(async () => {
  await Promise.all(started.map((one) => one.kill('SIGKILL')));
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Most moments recur at each start on one folder; its secrets are made only once. */
let dataName = 'data';
const dataDir = (): string => join(folder, dataName);

/** Runs what `npm start` runs; it counts as ready at the moment that the test waits for. */
function standalone(
  ready: (output: string) => boolean | Promise<boolean>,
  more: Readonly<Record<string, string>> = {},
): TestProcess {
  const env = { PORT: String(ports[0]), MANAGEMENT_PORT: String(ports[1]), PARLEY_DATA_DIR: dataDir(), ...more };
  const one = new TestProcess({ app: 'standalone', env, cwd: folder, ready });
  started.push(one);
  return one;
}

/** The processes that run in the folder or name it in their arguments. */
async function left(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
        const works = (await readlink(`/proc/${pid}/cwd`)).startsWith(folder) || args.includes(folder);
        return works && Number(pid) !== process.pid ? [args] : [];
      } catch {
        // It ended meanwhile, or belongs to another user.
        return [];
      }
    }),
  );
  return found.flat();
}

/** Whether the present start has made such a file; an interrupted one may have left its own. */
async function has(path: string, beginning: string): Promise<boolean> {
  const names = await readdir(join(dataDir(), path)).catch(() => []);
  const found = names.filter((name) => name.startsWith(beginning)).map((name) => join(dataDir(), path, name));
  // A start renames and removes such files, so one that is gone by now counts as not found.
  const changes = await Promise.all(found.map((file) => stat(file).catch(() => null)));
  return changes.some((change) => change !== null && change.ctimeMs >= startedAtMs);
}

const moments: [moment: string, signal: NodeJS.Signals, code: number, reached: () => Promise<boolean>][] = [
  ['its data folder is made', 'SIGTERM', 143, () => Promise.resolve(existsSync(dataDir()))],
  ['initdb works', 'SIGINT', 130, () => has('postgres', 'cluster.new-')],
  ['PostgreSQL starts', 'SIGINT', 130, () => has('postgres/cluster', 'postmaster.pid')],
  ['the event store starts', 'SIGTERM', 143, () => has('run', 'events-')],
  ['tables are made', 'SIGINT', 130, () => has('.', 'running.json')],
];

async function endsWith(code: number, signal: NodeJS.Signals, reached: () => Promise<boolean>): Promise<void> {
  const one = standalone(reached);
  startedAtMs = Date.now();
  await one.start();
  expect(await one.kill(signal)).toBe(code);
  expect(one.output).not.toMatch(/^\s+at |Error/m);
  await until('nothing to run', async () => ((await left()).length === 0 ? true : null));
}

it.each(moments)('told to end when %s, by %s, npm start ends with %i', (_moment, signal, code, reached) =>
  endsWith(code, signal, reached),
);

it('told to end when its secrets are made, by SIGTERM, npm start ends with 143', async () => {
  dataName = 'other-data';
  await endsWith(143, 'SIGTERM', () => has('.', 'secrets.json'));
});

it.each<[NodeJS.Signals, number]>([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('told to end by %s while it installs or builds, it ends those as well, with %i', async (signal, code) => {
  // As npm does while it unpacks: ignores both signals, and has a child process.
  const deaf = `trap "" INT TERM; echo $$ > ${folder}/tool; sleep 600 & echo $! > ${folder}/below; wait`;
  const script = `import { runScript, runStep } from ${JSON.stringify(join(root, 'scripts', 'tool.mjs'))};
      await runScript(() => runStep('installing', 'sh', ['-c', ${JSON.stringify(deaf)}]));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until('both', async () => (existsSync(join(folder, 'below')) ? true : null));
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  for (const name of ['tool', 'below']) {
    const pid = Number(await readFile(join(folder, name), 'utf8'));
    await until(`the end of ${name}`, async () => (isRunning(pid) ? null : true));
    await rm(join(folder, name));
  }
});

/** Runs a script with the functions of `scripts/tool.mjs`; returns its end and its lines. */
async function toolScript(body: string): Promise<{ end: unknown[]; lines: string[] }> {
  const script = `import { setTimeout as sleep } from 'node:timers/promises';
      import { runScript, runTool } from ${JSON.stringify(join(root, 'scripts', 'tool.mjs'))};
      const signal = () => process.kill(process.pid, 'SIGINT');
      await runScript(async () => { ${body} });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const end = await once(child, 'close');
  return { end, lines: output.trimEnd().split('\n') };
}

it('told to end when a tool was just started, it ends that as well', async () => {
  const { end, lines } = await toolScript(
    `await runTool('sleep', ['600'], { onSpawn: (pid) => { console.log(pid); signal(); } });`,
  );
  expect(end).toEqual([130, null]);
  const [tool] = lines.map(Number);
  await until('the end of the tool', async () => (isRunning(tool!) ? null : true));
});

it('told twice, as npm does, it puts in order what it left when its tool has ended', async () => {
  const { end, lines } = await toolScript(
    `try { await runTool('sleep', ['600'], { onSpawn: signal }); }
     finally { signal(); await sleep(100); console.log('in order'); }`,
  );
  expect([end, lines]).toEqual([[130, null], ['in order']]);
});

/** A request whose body never arrives in full, for which a stopping process waits. */
async function halfRequest(): Promise<Socket> {
  // Reason for the assertion: the start wrote it.
  const access = JSON.parse(await readFile(join(dataDir(), 'sandbox.json'), 'utf8')) as Record<string, string>;
  const { partnerKey, userToken, userId } = access;
  const request = connect(ports[0]!, '127.0.0.1');
  await once(request, 'connect');
  request.write(
    `POST /v1/users/${userId}/conversations HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${partnerKey}\r\n` +
      `Authorization: Bearer ${userToken}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
  );
  // The process answers so once the request has begun there.
  const [answer] = (await once(request, 'data')) as [Buffer]; // reason for the assertion: no encoding is set
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 100 /);
  request.write('{');
  return request;
}

it('told once more by SIGINT while it waits for its last requests, it ends at once, with 130', async () => {
  const patient = { DRAIN_SECONDS: '600', CONNECTION_QUIET_SECONDS: '600' };
  const one = standalone((output) => output.includes('is ready'), patient);
  await one.start();
  const request = await halfRequest();
  const isOver = once(request, 'close');
  request.on('error', () => undefined); // cut off with the process
  process.kill(one.pid, 'SIGINT');
  await sleep(1_000); // npm repeats a terminal's Ctrl-C at once, which does not count
  expect([isRunning(one.pid), request.readyState]).toEqual([true, 'open']);
  expect(await one.kill('SIGINT')).toBe(130);
  await isOver;
  await until('nothing to run', async () => ((await left()).length === 0 ? true : null));
});

it('starts on what they left, and stops cleanly', async () => {
  const one = standalone((output) => output.includes('is ready'));
  await one.start();
  expect(await one.kill('SIGINT')).toBe(0);
  await until('nothing to run', async () => ((await left()).length === 0 ? true : null));
});
