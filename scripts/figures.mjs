// npm run figures: the long tests with their full rounds (the tests read FIGURES and CRASH_ROUNDS). Arguments narrow jest.
import './node-version.mjs';
import { answerHelp } from './arguments.mjs';
import { runInBadWeather } from './bad-weather.mjs';
import { runJest } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

answerHelp(`npm run figures: installs and builds what is missing or stale, then runs the long tests with their full rounds

npm run figures -- [arguments of jest]   runs those that they name
CRASH_ROUNDS                             the rounds of the crash tests (50)`);

const longTests = [
  'test/crash/',
  'test/simulation/',
  'test/transparency/alterations',
  'test/integration/',
  'test/e2e/',
  'libs/product/consent/src/money-oracle',
  'libs/product/.+/test/',
  'libs/product/automations/src/definition/schedule',
  'libs/product/automations/src/definition/definition.schema',
  'test/client/',
  'test/generators/',
  'libs/product/receipts/src/receipt.spec',
  'libs/platform/event-store/test/bad-weather',
  'test/bench/run-memory',
  'test/load/rebuild-all',
];
const narrowing = process.argv.slice(2);

await runScript(async () => {
  await prepare({ build: true });
  const env = { FIGURES: 'full', CRASH_ROUNDS: process.env.CRASH_ROUNDS ?? '50' };
  const none = { passed: 0, failed: 0 };
  const long = await runJest(narrowing.length > 0 ? narrowing : longTests, { env });
  const weather = narrowing.length > 0 ? none : await runInBadWeather({ full: true });
  const failed = long.failed + weather.failed;
  console.log(`${long.passed + weather.passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
