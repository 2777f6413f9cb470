// npm test: prepares, checks, runs every jest suite, a few again in bad weather, tries the product on the newest LTS of Node, reports how
// long each took, and ends with the one line `N passed, N failed`. Arguments restrict jest, and leave everything else out.
import './node-version.mjs';
import { answerHelp } from './arguments.mjs';
import { runInBadWeather } from './bad-weather.mjs';
import { runChecks, staticChecks } from './checks.mjs';
import { missingInWords, requireProgram } from './debian.mjs';
import { runJestTwice, slowestSuites } from './jest.mjs';
import { runOnNewestLts } from './newest-lts.mjs';
import { Phases } from './phases.mjs';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

answerHelp(`npm test: installs and builds what is missing or stale, then runs the checks and all suites

npm test -- [arguments of jest]   runs the suites that they name, and nothing else: npm test -- test/e2e/drains`);

const narrowing = process.argv.slice(2);
const phases = new Phases();

/** Runs everything. The checks take the CPU that the suites leave. Returns the counts of each. */
async function runAll() {
  const built = phases.run('build', () => prepare({ build: true }));
  const runSuites = async () => {
    await built;
    const counts = await phases.run('suites', () => runJestTwice([]));
    console.log(`The slowest suites:\n${slowestSuites(counts)}`);
    const onNewest = await phases.run('newest LTS', () => runOnNewestLts());
    return [counts, onNewest, await phases.run('bad weather', () => runInBadWeather())];
  };
  const checks = phases.run('checks', () => runChecks(staticChecks, { atOnce: 1, built }));
  const [checked, counts] = await Promise.all([checks, runSuites()]);
  return [checked, ...counts];
}

/** Runs the suites that the arguments name. */
async function runSome() {
  console.log(`checks left out, jest only: ${narrowing.join(' ')}`);
  await phases.run('build', () => prepare({ build: true }));
  return [await phases.run('suites', () => runJestTwice(narrowing))];
}

await runScript(async () => {
  const totals = { passed: 0, failed: 0 };
  try {
    if (narrowing.length === 0) await announce();
    await phases.run('packages', () => prepare({ build: false }));
    for (const { passed, failed } of narrowing.length === 0 ? await runAll() : await runSome()) {
      totals.passed += passed;
      totals.failed += failed;
    }
  } catch (error) {
    if (error.output) console.error(error.output.trimEnd());
    console.error(error.message);
    totals.failed += 1;
  }
  console.log(`${phases}`);
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
});

/** Announces what will be installed in addition to packages, before anything is. */
async function announce() {
  const missing = missingInWords(process.getuid?.() === 0);
  if (missing !== null) console.log(missing);
  await requireProgram('git'); // the checks need it to list the files
}
