/** A run of jest that fails or breaks off, also the second one of failed files, never counts as one without a failure. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
/** Replaces jest: writes the result of its environment, for the first or the second run, and ends as that says. */
const fakeJest = `#!/usr/bin/env node
const file = process.argv.find((one) => one.startsWith('--outputFile=')).slice('--outputFile='.length);
const { text, end } = JSON.parse(process.env.RUNS)[process.argv.includes('--runTestsByPath') ? 1 : 0];
if (text !== null) require('node:fs').writeFileSync(file, text);
if (end === 'SIGKILL') process.kill(process.pid, end);
else process.exitCode = end;
`;
const counting = `import { runJestTwice } from './scripts/jest.mjs';
const { passed, failed } = await runJestTwice([]);
console.log(JSON.stringify([passed, failed]));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-jest-counts-'));
  for (const name of ['jest.mjs', 'tool.mjs']) cpSync(join(root, 'scripts', name), join(folder, 'scripts', name));
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules', '.bin', 'jest'), fakeJest);
  writeFileSync(join(folder, 'counting.mjs'), counting);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly text: string | null;
  readonly end: number | 'SIGKILL';
}

const suite = (name: string, ...tests: readonly ('passed' | 'failed')[]) => ({
  name,
  status: tests.includes('failed') ? 'failed' : 'passed',
  assertionResults: tests.map((status) => ({ status })),
  startTime: 0,
  endTime: 0,
});
const result = (...testResults: ReturnType<typeof suite>[]): string => JSON.stringify({ testResults });
const good = suite('a.spec.ts', 'passed', 'passed');
const bad = suite('b.spec.ts', 'passed', 'failed');
const oneFails: Run = { text: result(good, bad), end: 1 };

/** Returns how many tests passed and failed. */
function counts(...runs: readonly Run[]): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ['counting.mjs'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], RUNS: JSON.stringify(runs) },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

it.each<[how: string, run: Run, counted: readonly [passed: number, failed: number]]>([
  ['passes', { text: result(good), end: 0 }, [2, 0]],
  ['finds no test, as it was told it may', { text: result(), end: 0 }, [0, 0]],
  ['fails although its tests pass', { text: result(good), end: 1 }, [2, 1]],
  ['is killed', { text: null, end: 'SIGKILL' }, [0, 1]],
  ['is killed after its result', { text: result(good), end: 'SIGKILL' }, [2, 1]],
  ['ends well, and wrote nothing', { text: null, end: 0 }, [0, 1]],
  ['ends well, and wrote a part of its result', { text: result(good).slice(0, 40), end: 0 }, [0, 1]],
])('a run that %s', (_how, run, counted) => expect(counts(run)).toEqual(counted));

it.each<[how: string, second: Run, counted: readonly [passed: number, failed: number]]>([
  ['passes', { text: result(suite('b.spec.ts', 'passed', 'passed')), end: 0 }, [4, 0]],
  ['fails again', { text: result(bad), end: 1 }, [3, 1]],
  ['is killed', { text: null, end: 'SIGKILL' }, [2, 1]],
  ['ends well, and wrote nothing', { text: null, end: 0 }, [2, 1]],
  ['ends well, and wrote a part of its result', { text: result(bad).slice(0, 40), end: 0 }, [2, 1]],
])('a second run of a failed file that %s', (_how, second, counted) =>
  expect(counts(oneFails, second)).toEqual(counted),
);
