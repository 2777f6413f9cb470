// npm test: prepares, checks, runs every jest suite, a few again in bad weather, tries the product on the newest LTS of Node, and ends with the one line `N passed, N failed`. Arguments narrow jest, and leave the checks out.
import './node-version.mjs';
import { runInBadWeather } from './bad-weather.mjs';
import { runChecks, staticChecks } from './checks.mjs';
import { missingInWords, requireProgram } from './debian.mjs';
import { runJestTwice } from './jest.mjs';
import { runOnNewestLts } from './newest-lts.mjs';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

const narrowing = process.argv.slice(2);

await runScript(async () => {
  const totals = { passed: 0, failed: 0 };
  const add = ({ passed, failed }) => {
    totals.passed += passed;
    totals.failed += failed;
  };
  try {
    const missing = narrowing.length === 0 ? missingInWords(process.getuid?.() === 0) : null;
    if (missing !== null) console.log(missing);
    // The checks ask it for the files that there are.
    if (narrowing.length === 0) await requireProgram('git');
    await prepare({ build: true });
    if (narrowing.length === 0) add(await runChecks(staticChecks));
    else console.log(`checks left out, jest only: ${narrowing.join(' ')}`);
    add(await runJestTwice(narrowing));
    if (narrowing.length === 0) add(await runInBadWeather());
    if (narrowing.length === 0) add(await runOnNewestLts());
  } catch (error) {
    if (error.output) console.error(error.output.trimEnd());
    console.error(error.message);
    totals.failed += 1;
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
});
