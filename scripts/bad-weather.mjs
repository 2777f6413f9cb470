// Runs end-to-end specs again, on an event store that has a bad day: what holds in fair weather must hold then, and callers see nothing but
// 503 `retryable`, after which they retry.
import { runJestTwice } from './jest.mjs';

const quick = ['libs/product/runs/test/runs-start.spec.ts', 'libs/product/wallets/test/money-withdraw.spec.ts'];
const others = [
  'libs/product/wallets/test/agent-wallet.spec.ts',
  'libs/product/automations/test/automations-reads.spec.ts',
  'libs/product/budget/test/budget.spec.ts',
  'libs/product/conversations/test/conversations.spec.ts',
  'libs/product/wallets/test/money-direct.spec.ts',
  'libs/product/wallets/test/money-late.spec.ts',
  'libs/product/runs/test/runs-read.spec.ts',
  'libs/product/runs/test/runs-refused.spec.ts',
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
    const { passed, failed } = await runJestTwice(['--runTestsByPath', ...specs], {
      env: { WEATHER: seed },
      workers: 2,
    });
    totals.passed += passed;
    totals.failed += failed;
  }
  return totals;
}
