// The checks of `npm run check`, and how to run them concurrently.
import { availableParallelism } from 'node:os';
import { runJest } from './jest.mjs';
import { Interrupted, binary, runTool } from './tool.mjs';

const formatted = [
  '*.{json,cjs,mjs,ts}',
  '{apps,libs,test,scripts}/**/*.{ts,mjs,cjs,json}',
  'docker/**/*.{yaml,yml,json}',
  'examples/**/*.{js,jsx,json,html,css}',
  '!package-lock.json',
  '!test/bench/results/**',
  '!test/{bench,conformance,generators,runtimes,ai-sdk-7}/node_modules/**',
];
const unitSpecs = ['libs/.+/src/', 'test/architecture/'];

/** Each is one tool that judges the sources. All but the first read the build's output; of those, the slow ones first. */
export const staticChecks = [
  {
    name: 'format',
    run: () => tool('prettier', ['--log-level', 'warn', '--no-error-on-unmatched-pattern', '--check', ...formatted]),
  },
  { name: 'types and lint', run: () => script('types-and-lint.mjs') },
  { name: 'imports', run: () => tool('depcruise', ['--config', '.dependency-cruiser.cjs', 'apps', 'libs', 'test']) },
  { name: 'map', run: () => script('map.mjs', '--check') },
  { name: 'unused', run: () => tool('knip', ['--no-progress']) },
];

/** The specs in the source folders, and the tidy and import-rule tests. */
export const unitCheck = { name: 'units', run: () => runJest(unitSpecs, { inherit: false }) };

/** Rewrites every file that the format check covers. */
export const writeFormat = () =>
  tool('prettier', ['--log-level', 'warn', '--no-error-on-unmatched-pattern', '--write', ...formatted]);

/**
 * Runs all checks and prints a line for each; a failed one is followed by its tool's output.
 * @param {{ atOnce?: number, built?: Promise<unknown> }} options `atOnce`: how many run concurrently: as many as there are cores when
 * absent, but two at most, because each needs much memory; `built`: a promise that all but the first wait for
 * @returns {Promise<{passed: number, failed: number}>} every check runs, even after failures
 */
export async function runChecks(checks, { atOnce = Math.min(2, availableParallelism()), built } = {}) {
  const waiting = [...checks];
  const totals = { passed: 0, failed: 0 };
  const lane = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      if (check !== checks[0]) await built;
      const passed = await runOne(check);
      totals[passed ? 'passed' : 'failed'] += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return totals;
}

async function runOne({ name, run }) {
  const startedAt = performance.now();
  const result = await run().catch((error) => {
    if (error instanceof Interrupted) throw error;
    return { exitCode: 1, output: error.stack };
  });
  const passed = result.exitCode === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name.padEnd(14)} ${seconds} s`);
  if (!passed) console.log(result.output.trimEnd().replace(/^/gm, '     '));
  return passed;
}

/** Suites that run at the same time wait for states, and are not to wait for these. */
const tool = (name, args) => runTool(binary(name), args, { env: { NO_COLOR: '1' }, isPatient: true });
const script = (name, ...args) => runTool(process.execPath, [`scripts/${name}`, ...args], { isPatient: true });
