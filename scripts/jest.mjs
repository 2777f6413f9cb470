// Runs jest and counts what it did.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { binary, runTool } from './tool.mjs';

/** Suites wait for servers more than they compute, so two run at once even on a small machine. */
const maxWorkers = Math.max(2, availableParallelism() - 1);

/**
 * @param {string[]} args paths and options for jest
 * @returns {Promise<{exitCode: number, passed: number, failed: number, output: string}>} a suite that cannot be loaded, a crash of jest, and a bad exit without a failed test each count as one failure
 */
export async function runJest(args, { inherit = true, env = {} } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-jest-'));
  const outputFile = path.join(folder, 'result.json');
  try {
    const options = [`--maxWorkers=${maxWorkers}`, '--json', `--outputFile=${outputFile}`];
    const { exitCode, output } = await runTool(binary('jest'), [...options, ...args], { inherit, env });
    const { passed, failed } = countsOf(outputFile);
    return { exitCode, passed, failed: exitCode === 0 ? failed : Math.max(1, failed), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf(outputFile) {
  try {
    const result = JSON.parse(readFileSync(outputFile, 'utf8'));
    return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 }; // jest ended before it wrote its result
  }
}
