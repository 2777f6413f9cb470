// End-to-end specs once more, on an event store that has a bad day: what holds in fair weather holds then, and callers see nothing but 503 `retryable`, after which they ask again.
import { runJestTwice } from './jest.mjs';

const quick = ['test/e2e/runs-start.spec.ts', 'test/e2e/money-withdraw.spec.ts'];
const others = [
  'test/e2e/agent-wallet.spec.ts',
  'test/e2e/automations-reads.spec.ts',
  'test/e2e/budget.spec.ts',
  'test/e2e/conversations.spec.ts',
  'test/e2e/money-direct.spec.ts',
  'test/e2e/money-late.spec.ts',
  'test/e2e/runs-read.spec.ts',
  'test/e2e/runs-refused.spec.ts',
];

/** @param {{ full?: boolean }} options `full`: all of them, in the weather of three seeds */
export async function runInBadWeather({ full = false } = {}) {
  const specs = full ? [...quick, ...others] : quick;
  const seeds = full ? ['1', '2', '3'] : ['1'];
  console.log(
    `in bad weather: ${specs.length} specs (${quick.length + others.length} with npm run figures), ${seeds.length} seeds (3)`,
  );
  const totals = { passed: 0, failed: 0 };
  for (const seed of seeds) {
    const { passed, failed } = await runJestTwice(['--runTestsByPath', ...specs], { env: { WEATHER: seed } });
    totals.passed += passed;
    totals.failed += failed;
  }
  return totals;
}
