// npm test: prepares, checks, runs every jest suite, a few again in bad weather, tries the product on the newest LTS of Node, says how long each took, and ends with the one line `N passed, N failed`. Arguments narrow jest, and leave the rest out.
import './node-version.mjs';
import { runInBadWeather } from './bad-weather.mjs';
import { runChecks, staticChecks } from './checks.mjs';
import { missingInWords, requireProgram } from './debian.mjs';
import { runJestTwice } from './jest.mjs';
import { runOnNewestLts } from './newest-lts.mjs';
import { Phases } from './phases.mjs';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

const narrowing = process.argv.slice(2);
const prepared = ['packages and build', () => prepare({ build: true })];
/** What stands in one list runs side by side: suites wait for servers, and leave room for a check. */
const whole = [
  [
    ['checks', () => runChecks(staticChecks, { atOnce: 1 })],
    ['suites', () => runJestTwice([])],
  ],
  [
    ['bad weather', () => runInBadWeather()],
    ['newest LTS', () => runOnNewestLts()],
  ],
];

await runScript(async () => {
  const totals = { passed: 0, failed: 0 };
  const phases = new Phases();
  try {
    if (narrowing.length === 0) await announce();
    else console.log(`checks left out, jest only: ${narrowing.join(' ')}`);
    await phases.run(...prepared);
    const counted = narrowing.length === 0 ? whole : [[['suites', () => runJestTwice(narrowing)]]];
    for (const group of counted) {
      for (const { passed, failed } of await Promise.all(group.map((phase) => phases.run(...phase)))) {
        totals.passed += passed;
        totals.failed += failed;
      }
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

/** Says what will be installed besides packages, before anything is. */
async function announce() {
  const missing = missingInWords(process.getuid?.() === 0);
  if (missing !== null) console.log(missing);
  await requireProgram('git'); // the checks ask it for the files that there are
}
