// npm test: prepares, checks, runs every jest suite, a few again in bad weather, tries the product on the newest LTS of Node, reports how
// long each took, and ends with the one line `N passed, N failed`. Arguments restrict jest, and leave everything else out.
import './node-version.mjs';
import { answerHelp } from './arguments.mjs';
import { runInBadWeather } from './bad-weather.mjs';
import { runChecks, staticChecks } from './checks.mjs';
import { missingInWords, requireProgram } from './debian.mjs';
import { runJestTwice, slowestSuites } from './jest.mjs';
import { runOnNewestLts } from './newest-lts.mjs';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

answerHelp(`npm test: installs and builds what is missing or stale, then runs the checks and all suites

npm test -- [arguments of jest]   runs the suites that they name, and nothing else: npm test -- test/e2e/drains`);

const narrowing = process.argv.slice(2);

const startedAt = performance.now();
const secondsSince = (time) => Math.round((performance.now() - time) / 1000);
const phases = [];

/** Returns the result of a phase; its seconds are reported at the end, even if it fails. */
async function phase(name, work) {
  const beganAt = performance.now();
  try {
    return await work();
  } finally {
    phases.push(`${name} ${secondsSince(beganAt)} s`);
  }
}

/** Runs everything. The checks take the CPU that the suites leave. Returns the counts of each. */
async function runAll() {
  const built = phase('build', () => prepare({ build: true }));
  const runSuites = async () => {
    await built;
    const counts = await phase('suites', () => runJestTwice([]));
    console.log(`The slowest suites:\n${slowestSuites(counts.files)}`);
    const onNewest = await phase('newest LTS', () => runOnNewestLts());
    return [counts, onNewest, await phase('bad weather', () => runInBadWeather())];
  };
  const checks = phase('checks', () => runChecks(staticChecks, { atOnce: 1, built }));
  const [checked, counts] = await Promise.all([checks, runSuites()]);
  return [checked, ...counts];
}

/** Runs the suites that the arguments name. */
async function runSome() {
  console.log(`checks left out, jest only: ${narrowing.join(' ')}`);
  await phase('build', () => prepare({ build: true }));
  return [await phase('suites', () => runJestTwice(narrowing))];
}

await runScript(async () => {
  const totals = { passed: 0, failed: 0 };
  try {
    if (narrowing.length === 0) await announce();
    await phase('packages', () => prepare({ build: false }));
    for (const { passed, failed } of narrowing.length === 0 ? await runAll() : await runSome()) {
      totals.passed += passed;
      totals.failed += failed;
    }
  } catch (error) {
    if (error.output) console.error(error.output.trimEnd());
    console.error(error.message);
    totals.failed += 1;
  }
  console.log(`${secondsSince(startedAt)} s: ${phases.join(', ')}`);
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
});

/** Announces what will be installed in addition to packages, before anything is. */
async function announce() {
  const missing = missingInWords(process.getuid?.() === 0);
  if (missing !== null) console.log(missing);
  await requireProgram('git'); // the checks need it to list the files
}
