/** A process that is killed while it writes the lock of what installs and builds delays no other one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
/** Ends the process by kill -9 at its n-th opening of a file for the lock, before anything is written. */
const killing = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { writeFileSync } = fs;
let left = Number(process.env.KILL_AT);
fs.writeFileSync = (file, content, options) => {
  left -= 1;
  if (left === 0) {
    fs.closeSync(fs.openSync(file, options?.flag ?? 'w'));
    process.kill(process.pid, 'SIGKILL');
  }
  writeFileSync(file, content, options);
};
syncBuiltinESMExports();
`;
const holding = `import { withLock } from './scripts/lock.mjs';
await withLock((nameTool) => nameTool(process.pid));
`;
/** Far below the time after which a silent holder counts as dead. */
const soonMs = 10_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  for (const name of ['lock.mjs', 'tool.mjs']) cpSync(join(root, 'scripts', name), join(folder, 'scripts', name));
  writeFileSync(join(folder, 'killing.mjs'), killing);
  writeFileSync(join(folder, 'holding.mjs'), holding);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function hold(killAt: number): Promise<unknown[]> {
  const child = spawn(process.execPath, ['--import', './killing.mjs', 'holding.mjs'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], KILL_AT: String(killAt) },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: soonMs,
  });
  return once(child, 'exit');
}

it.each([
  ['takes it', 1],
  ['names its tool in it', 2],
])('killed when it %s', async (_moment, killAt) => {
  expect(await hold(killAt)).toEqual([null, 'SIGKILL']);
  expect(await hold(0)).toEqual([0, null]);
  expect(existsSync(join(folder, '.prepare.lock'))).toBe(false);
});

it('leaves nothing in the folder', async () => {
  const before = readdirSync(folder);
  expect(await hold(0)).toEqual([0, null]);
  expect(readdirSync(folder)).toEqual(before);
});
