/** How the scripts lock and install, and run tools such as jest. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { until } from '@app/testing/until';

const root = join(__dirname, '..', '..');
let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'parley-scripts-'))));
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Runs a module next to copies of the scripts, in a checkout of its own, and returns what it prints as JSON. */
async function run(lines: string): Promise<unknown> {
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  await writeFile(join(folder, 'scripts', 'tried.mjs'), lines);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'scripts', 'tried.mjs')]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

it('a tool has ended although a program that it left running holds its output', async () => {
  const left = `sleep 600 & echo $! > ${join(folder, 'left')}; echo told`;
  const ended = run(`import { runTool } from './tool.mjs';
    console.log(JSON.stringify(await runTool('sh', ['-c', ${JSON.stringify(left)}])));`);
  await until('what it leaves', async () => (existsSync(join(folder, 'left')) ? true : null));
  const result = await Promise.race([ended, sleep(20_000, null, { ref: false })]);
  process.kill(Number(await readFile(join(folder, 'left'), 'utf8')));
  expect(result).toEqual({ exitCode: 0, output: 'told\n' });
}, 30_000);

it('a lock that is deleted is made again, and the work under it goes on', async () => {
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  const lock = join(folder, '.prepare.lock');
  const work = `import { withLock } from './lock.mjs';
    await withLock((name) => { name(1); return new Promise((done) => process.stdin.once('data', done)); });
    process.exit(0);`;
  await writeFile(join(folder, 'scripts', 'tried.mjs'), work);
  const holder = spawn(process.execPath, [join(folder, 'scripts', 'tried.mjs')], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(holder, 'exit');
  await until('the lock with the tool', async () => (existsSync(lock) ? true : null));
  await rm(lock);
  await until('the lock again', async () => (existsSync(lock) || holder.exitCode !== null ? true : null));
  expect(await readFile(lock, 'utf8')).toMatch(`${holder.pid} 1 `);
  await writeFile(lock, `${process.pid}`); // another process has taken it over
  holder.stdin.write('done');
  expect(await ended).toEqual([0, null]);
  expect(await readFile(lock, 'utf8')).toBe(`${process.pid}`);
});

/** Starts a process that writes in `log` when it takes the lock and when it leaves it; its first renaming of the lock waits before. */
async function contender(pauseMs: number): Promise<{ ended: Promise<unknown[]>; output: () => string }> {
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  const log = JSON.stringify(join(folder, 'log'));
  const lines = `import fs, { appendFileSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { setTimeout as sleep } from 'node:timers/promises';
    const { renameSync } = fs;
    let pauseMs = ${pauseMs};
    fs.renameSync = (from, to) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
      pauseMs = 0;
      renameSync(from, to);
    };
    syncBuiltinESMExports();
    const { withLock } = await import('./lock.mjs');
    await withLock(async () => {
      appendFileSync(${log}, 'in ');
      await sleep(2_000);
      appendFileSync(${log}, 'out ');
    });`;
  const file = join(folder, 'scripts', `contender-${pauseMs}.mjs`);
  await writeFile(file, lines);
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return { ended: once(child, 'exit'), output: () => output };
}

/** Ids of processes end far below. */
const deadPid = 2 ** 30;

it('a process that was paused while it took over the lock of a dead one leaves it to the one that was faster', async () => {
  const home = await run(`import { readFileSync } from 'node:fs';
    import { withLock } from './lock.mjs';
    await withLock(() => console.log(JSON.stringify(readFileSync(${JSON.stringify(join(folder, '.prepare.lock'))}, 'utf8'))));`);
  await writeFile(join(folder, '.prepare.lock'), String(home).replace(/^\d+/, String(deadPid)));
  const slow = await contender(1_500);
  await sleep(300);
  const fast = await contender(0);
  expect([await slow.ended, await fast.ended]).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(await readFile(join(folder, 'log'), 'utf8')).toBe('in out in out ');
});

it('a process of another container is not dead because its id is not known here', async () => {
  const lock = join(folder, '.prepare.lock');
  await writeFile(lock, `${deadPid} elsewhere/pid:[1]`);
  const one = await contender(0);
  await until('its note', async () => (one.output().includes('waiting for process') ? true : null));
  expect(existsSync(join(folder, 'log'))).toBe(false);
  await rm(lock);
  expect(await one.ended).toEqual([0, null]);
});

/** A folder with one package, as npm leaves it, in that version. */
async function installByHand(version: string): Promise<void> {
  const packages = { 'node_modules/one': { version, integrity: `sha512-${version}` } };
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  await writeFile(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
}

it('packages that were installed for another branch are stale on this one', async () => {
  // npm ci of this test puts the version of the lock file in place.
  const npm = `const fs = require('node:fs'); fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');`;
  await writeFile(join(folder, 'npm-cli.js'), npm);
  const prepare = (): Promise<unknown> =>
    run(`process.env.npm_execpath = ${JSON.stringify(join(folder, 'npm-cli.js'))};
      const { prepareFolder } = await import('./prepare.mjs');
      const { readFileSync } = await import('node:fs');
      await prepareFolder(${JSON.stringify(folder)});
      const record = JSON.parse(readFileSync(${JSON.stringify(join(folder, 'node_modules', '.package-lock.json'))}, 'utf8'));
      console.log(JSON.stringify(record.packages['node_modules/one'].version));`);
  await installByHand('1.0.0');
  expect(await prepare()).toBe('1.0.0');
  const lockFile = await readFile(join(folder, 'package-lock.json'));
  await installByHand('2.0.0');
  await writeFile(join(folder, 'package-lock.json'), lockFile);
  expect(await prepare()).toBe('1.0.0');
});

/** Counts of a run of jest over two suites. */
async function counts(how: string, ...args: string[]): Promise<unknown> {
  const config = join(folder, 'jest.config.cjs');
  await writeFile(config, `module.exports = { rootDir: __dirname, testRegex: '\\\\.check\\\\.js$', transform: {} };`);
  await writeFile(
    join(folder, 'a.check.js'),
    `it('fails', () => expect(1).toBe(2)); it('also fails', () => expect(1).toBe(2));`,
  );
  await writeFile(join(folder, 'b.check.js'), `it('passes', () => undefined);`);
  const lines = `import { ${how} } from ${JSON.stringify(join(root, 'scripts', 'jest.mjs'))};
    const { passed, failed } = await ${how}(${JSON.stringify(['--config', config, ...args])}, { inherit: false, workers: 1 });
    console.log(JSON.stringify({ passed, failed }));`;
  return run(lines);
}

it('a pattern that no test has is a failure', async () => {
  expect(await counts('runJest', 'b.check', '-t', 'nothing')).toEqual({ passed: 0, failed: 1 });
});

it('a failed suite is run again with the options of the first run, and without its other files', async () => {
  expect(await counts('runJestTwice', 'check')).toEqual({ passed: 1, failed: 2 });
  expect(await counts('runJestTwice', 'check', '-t', '^fails|passes')).toEqual({ passed: 1, failed: 1 });
  const files = [join(folder, 'a.check.js'), join(folder, 'b.check.js')];
  expect(await counts('runJestTwice', ...files)).toEqual({ passed: 1, failed: 2 });
});
