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
 * @returns {Promise<{exitCode: number, passed: number, failed: number, output: string, files: {file: string, passed: number,
 * failed: number, seconds: number, cpuSeconds: number}[]}>} a suite that cannot be loaded, a crash of jest, a bad exit without a failed
 * test, and suites none of whose tests ran (no name matches) each count as one failure
 */
export async function runJest(args, { inherit = true, env = {}, workers = maxWorkers, node = process.execPath } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-jest-'));
  const [outputFile, cpuFile] = [path.join(folder, 'result.json'), path.join(folder, 'cpu')];
  try {
    const options = [`--maxWorkers=${workers}`, '--json', `--outputFile=${outputFile}`];
    const command = [...workerFlags, binary('jest'), ...options, ...args];
    const { exitCode, output } = await runTool(node, command, { inherit, env: { SUITE_CPU_FILE: cpuFile, ...env } });
    const files = filesOf(outputFile, cpuFile);
    const [passed, failed] = [sum(files ?? [], 'passed'), sum(files ?? [], 'failed')];
    const isWhole = exitCode === 0 && files !== null && (files.length === 0 || passed > 0);
    return { exitCode, output, files: files ?? [], passed, failed: isWhole ? failed : Math.max(1, failed) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * By file: jest counts a file whose tests fail, and that fails afterwards as well, once more than its tests. Null when jest ended before it
 * wrote its whole result.
 */
function filesOf(outputFile, cpuFile) {
  const testResults = testResultsIn(outputFile);
  if (testResults === null) return null;
  // The lines of shared-environment.cjs: ticks of 10 ms, and the file.
  const lines = existsSync(cpuFile) ? readFileSync(cpuFile, 'utf8').trimEnd().split('\n') : [];
  const ticks = new Map(lines.map((line) => /^(\d+) (.*)$/.exec(line)?.slice(1).reverse() ?? []));
  return testResults.map(({ name, status, assertionResults, startTime, endTime }) => {
    const count = (wanted) => assertionResults.filter((result) => result.status === wanted).length;
    // A file that cannot be loaded has no results, and is one failure.
    const failed = status === 'failed' ? Math.max(1, count('failed')) : 0;
    const seconds = Math.round((endTime - startTime) / 1000);
    return {
      file: name,
      passed: count('passed'),
      failed,
      seconds,
      cpuSeconds: Math.round((ticks.get(name) ?? 0) / 100),
    };
  });
}

/** The slowest suites, a line each: `  120 s,    34 s of CPU  test/crash/kill-points.spec.ts`, and the sum of all. */
export function slowestSuites(files, count = 20) {
  const line = (seconds, cpu, name) => `${`${seconds}`.padStart(6)} s, ${`${cpu}`.padStart(5)} s of CPU  ${name}`;
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, count);
  return [
    ...slowest.map(({ file, seconds, cpuSeconds }) => line(seconds, cpuSeconds, path.relative(root, file))),
    line(sum(files, 'seconds'), sum(files, 'cpuSeconds'), `all ${files.length} suites`),
  ].join('\n');
}

function testResultsIn(outputFile) {
  try {
    return JSON.parse(readFileSync(outputFile, 'utf8')).testResults;
  } catch {
    return null;
  }
}

const sum = (files, member) => files.reduce((total, file) => total + file[member], 0);

/** The most files that are run again; more failures cannot be blamed on a busy machine. */
const secondLooksMax = 6;

/**
 * Like `runJest`, but runs a few failed files once more, alone, because other files on a busy machine may have caused the failure; the
 * second result counts. The output names each of them in either case: one that passed alone still has a fault to find.
 */
export async function runJestTwice(args, options = {}) {
  const first = await runJest(args, options);
  const again = first.files.filter(({ failed }) => failed > 0).map(({ file }) => file);
  if (again.length === 0 || again.length > secondLooksMax) return first;
  const names = again.map((file) => path.relative(process.cwd(), file)).join(', ');
  console.log(`failed next to others, run again alone: ${names}`);
  // The options count again, such as a pattern of names. With --runTestsByPath, jest ignores patterns of files.
  const kept = args.filter((arg) => !first.files.some(({ file }) => file === path.resolve(arg)));
  const second = await runJest([...kept, '--runTestsByPath', ...again], { ...options, workers: 1 });
  console.log(`${second.failed === 0 ? 'passed' : 'failed'} alone: ${names}`);
  const others = first.files.filter(({ failed }) => failed === 0);
  return { ...second, files: [...others, ...second.files], passed: sum(others, 'passed') + second.passed };
}
