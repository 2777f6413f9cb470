// Runs jest and counts its results.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { binary, root, runTool } from './tool.mjs';

/** The maximum memory of a worker and the processes of its suite. */
const workerBytes = 2 * 1024 ** 3;
/**
 * With their servers, three suites keep two cores busy. With five, each took many times as long, and servers that wait for a core exceeded
 * limits that have nothing to do with what the suites prove.
 */
const maxWorkers = Math.max(availableParallelism() - 1, Math.min(3, Math.floor(totalmem() / workerBytes)), 1);
/**
 * Whole deployments run in a worker: with more space for young objects, garbage collection takes a tenth less CPU. Jest passes its own
 * flags to its workers; in NODE_OPTIONS they would reach the processes of the suites, which would then reject the build's compiled code.
 */
const workerFlags = ['--max-semi-space-size=64'];

/**
 * @param {string[]} args paths and options for jest
 * @returns {Promise<{exitCode: number, passed: number, failed: number, failedFiles: {path: string, passed: number, failed: number}[],
 * seconds: Map<string, number>, cpuSeconds: Map<string, number>, output: string}>} `seconds` and `cpuSeconds` by file; a suite that cannot
 * be loaded, a crash of jest, and a bad exit without a failed test each count as one failure
 */
export async function runJest(args, { inherit = true, env = {}, workers = maxWorkers, node = process.execPath } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-jest-'));
  const outputFile = path.join(folder, 'result.json');
  const cpuFile = path.join(folder, 'cpu');
  try {
    const options = [`--maxWorkers=${workers}`, '--json', `--outputFile=${outputFile}`];
    const command = [...workerFlags, binary('jest'), ...options, ...args];
    const { exitCode, output } = await runTool(node, command, {
      inherit,
      env: { SUITE_CPU_FILE: cpuFile, ...env },
    });
    const { passed, failed, failedFiles, seconds } = countsOf(outputFile);
    const cpuSeconds = cpuSecondsOf(cpuFile);
    return {
      exitCode,
      passed,
      failed: exitCode === 0 ? failed : Math.max(1, failed),
      failedFiles,
      seconds,
      cpuSeconds,
      output,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf(outputFile) {
  try {
    const result = JSON.parse(readFileSync(outputFile, 'utf8'));
    const failedFiles = result.testResults.filter(({ status }) => status === 'failed').map(countsOfFile);
    return {
      passed: result.numPassedTests,
      // By file: jest counts a file whose tests fail, and that fails afterwards as well, once more than its tests.
      failed: failedFiles.reduce((total, { failed }) => total + failed, 0),
      failedFiles,
      seconds: new Map(
        result.testResults.map(({ name, startTime, endTime }) => [
          path.relative(root, name),
          Math.round((endTime - startTime) / 1000),
        ]),
      ),
    };
  } catch {
    return { passed: 0, failed: 1, failedFiles: [], seconds: new Map() }; // jest ended before it wrote its result
  }
}

/** The lines of shared-environment.cjs: ticks of 10 ms, and the file. */
function cpuSecondsOf(cpuFile) {
  const lines = existsSync(cpuFile) ? readFileSync(cpuFile, 'utf8').trimEnd().split('\n') : [];
  const seconds = new Map();
  for (const line of lines) {
    const [ticks, ...file] = line.split(' ');
    seconds.set(path.relative(root, file.join(' ')), Math.round(Number(ticks) / 100));
  }
  return seconds;
}

function countsOfFile({ name, assertionResults }) {
  const count = (status) => assertionResults.filter((result) => result.status === status).length;
  // A file that cannot be loaded has no results, and is one failure.
  return { path: name, passed: count('passed'), failed: Math.max(1, count('failed')) };
}

/**
 * The slowest suites, a line each: `  120 s,   34 s of CPU  test/crash/kill-points.spec.ts`, and the sum of all.
 * @param {{ seconds: Map<string, number>, cpuSeconds: Map<string, number> }} times by file
 */
export function slowestSuites({ seconds, cpuSeconds }, count = 20) {
  const slowest = [...seconds].sort(([, one], [, other]) => other - one).slice(0, count);
  const line = (each, cpu, what) => `${`${each}`.padStart(6)} s, ${`${cpu}`.padStart(5)} s of CPU  ${what}`;
  const sum = (times) => [...times.values()].reduce((total, each) => total + each, 0);
  return [
    ...slowest.map(([file, each]) => line(each, cpuSeconds.get(file) ?? 0, file)),
    line(sum(seconds), sum(cpuSeconds), `all ${seconds.size} suites`),
  ].join('\n');
}

/** The most files that are run again; more failures cannot be blamed on a busy machine. */
const secondLooksMax = 6;

/**
 * Like `runJest`, but runs a few failed files once more, alone, because other files on a busy machine may have caused the failure; the
 * second result counts. The output names each of them in either case: one that passed alone still has a fault to find.
 */
export async function runJestTwice(args, options = {}) {
  const first = await runJest(args, options);
  const again = first.failedFiles;
  if (again.length === 0 || again.length > secondLooksMax) return first;
  const names = again.map((file) => path.relative(process.cwd(), file.path));
  console.log(`failed next to others, run again alone: ${names.join(', ')}`);
  const second = await runJest(['--runTestsByPath', ...again.map((file) => file.path)], { ...options, workers: 1 });
  console.log(`${second.failed === 0 ? 'passed' : 'failed'} alone: ${names.join(', ')}`);
  const sum = (member) => again.reduce((total, file) => total + file[member], 0);
  return {
    ...second,
    passed: first.passed - sum('passed') + second.passed,
    failed: first.failed - sum('failed') + second.failed,
    seconds: first.seconds,
    cpuSeconds: first.cpuSeconds,
  };
}
