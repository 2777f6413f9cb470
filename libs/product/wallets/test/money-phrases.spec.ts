/**
 * Phrases about money that the rules model understands, carried through to the balances (docs/decisions/runs.md and
 * docs/decisions/money.md).
 */
import { auditMoney } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  approve,
  asking,
  conversationOf,
  ether,
  holdings,
  newOwner,
  operationsOf,
  outcomeOf,
  prompt,
  say,
  untilEnded,
  usdc,
  wrappedNear,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000' } });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  // Round prices, so that deliveries can be calculated by hand.
  await deployment.sandbox('PUT', `prices/${wrappedNear}`, { priceUsd: '2.5' });
  await deployment.sandbox('PUT', `prices/${ether}`, { priceUsd: '3000' });
});
beforeEach(async () => {
  user = await newOwner(deployment);
  conversationId = await conversationOf(user);
});
afterAll(() => deployment.stop());

const dollars = { pinned: { tokenId: usdc, decimals: 6 } };
const near = { pinned: { tokenId: wrappedNear, decimals: 24 } };
const nearUnits = (whole: string) => `${whole}${'0'.repeat(24)}`;

const start = { [usdc]: '250000000', [wrappedNear]: nearUnits('40'), [ether]: '50000000000000000' };

interface Phrase {
  readonly text: string;
  readonly action: object;
  /** Balances afterwards of the tokens that changed; null: none. */
  readonly left: Readonly<Record<string, string | null>>;
}

const phrases: readonly Phrase[] = [
  {
    text: '  WITHDRAW   1.5   usdc ',
    action: {
      kind: 'withdraw_to_owner',
      input: dollars,
      quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
    },
    left: { [usdc]: '248500000' },
  },
  {
    text: 'withdraw 0.000001 USDC',
    action: { kind: 'withdraw_to_owner', input: dollars, quantity: { kind: 'exact_input_tokens', amountRaw: '1' } },
    left: { [usdc]: '249999999' },
  },
  {
    text: 'withdraw all USDC',
    action: { kind: 'withdraw_to_owner', input: dollars, quantity: { kind: 'all_of_input' } },
    left: { [usdc]: null },
  },
  {
    text: 'withdraw 25% of NEAR',
    action: { kind: 'withdraw_to_owner', input: near, quantity: { kind: 'fraction_of_input', bps: '2500' } },
    left: { [wrappedNear]: nearUnits('30') },
  },
  {
    text: 'withdraw $20 of NEAR',
    action: { kind: 'withdraw_to_owner', input: near, quantity: { kind: 'exact_input_value_usd', value: '20' } },
    left: { [wrappedNear]: nearUnits('32') },
  },
  {
    text: 'swap 5 USDC to NEAR',
    action: {
      kind: 'swap',
      input: dollars,
      output: near,
      quantity: { kind: 'exact_input_tokens', amountRaw: '5000000' },
    },
    left: { [usdc]: '245000000', [wrappedNear]: nearUnits('42') },
  },
  {
    text: 'swap $20 of USDC to NEAR',
    action: {
      kind: 'swap',
      input: dollars,
      output: near,
      quantity: { kind: 'exact_input_value_usd', value: '20' },
    },
    left: { [usdc]: '230000000', [wrappedNear]: nearUnits('48') },
  },
  {
    text: 'swap all NEAR to USDC',
    action: { kind: 'swap', input: near, output: dollars, quantity: { kind: 'all_of_input' } },
    left: { [usdc]: '350000000', [wrappedNear]: null },
  },
];

it.each(phrases)('$text', async ({ text, action, left }) => {
  const { runId, approval } = await asking(user, conversationId, text);
  expect(approval['contract']).toEqual({ type: 'ledger_intents_transfer', actions: [action] });
  expect(approval['input']).toEqual({ contract: approval['contract'] });
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
  expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled', actions: [{ status: 'settled' }] });
  const held = await holdings(user);
  for (const [tokenId, amountRaw] of Object.entries({ ...start, ...left }))
    expect(held[tokenId] ?? null).toBe(amountRaw);
});

it('what is my balance, and the price of NEAR: no consent is asked for', async () => {
  expect(await say(user, conversationId, 'what is my balance')).toMatchObject({
    status: 'completed',
    segment: 1,
    response: { text: expect.stringMatching(/250 USDC/) as string },
  });
  expect(await say(user, conversationId, 'price of near')).toMatchObject({
    response: { text: expect.stringMatching(/2\.5/) as string },
  });
});

describe('is answered with words, opens nothing and moves nothing:', () => {
  it.each([
    ['an unknown token', 'withdraw 1 DOGE'],
    ['an unknown token to swap into', 'swap 1 USDC to DOGE'],
    ['zero', 'withdraw 0 USDC'],
    ['zero with a fraction', 'withdraw 0.0 USDC'],
    ['a fraction beyond the decimals', 'withdraw 0.0000001 USDC'],
    ['more digits than a contract takes', `withdraw ${'9'.repeat(60)} USDC`],
    ['more than all', 'withdraw 100.01% of USDC'],
    ['nothing of it', 'withdraw 0% of USDC'],
    ['an asset that no contract can express', 'withdraw 1 1100_sandbox'],
    ['a sign', 'withdraw -1 USDC'],
  ])('%s', async (_, text) => {
    expect(await say(user, conversationId, text)).toMatchObject({ status: 'completed', segment: 1, failure: null });
    expect(await operationsOf(user)).toEqual([]);
    expect((await user.get('/approvals?status=all')).body).toMatchObject({ total: 0 });
    expect(await holdings(user)).toMatchObject(start);
  });
});

it('more than the wallet holds: approved all the same, and fails without it', async () => {
  const { runId, approval } = await asking(user, conversationId, 'withdraw 250.000001 USDC');
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
  expect(await outcomeOf(user, approval.id)).toMatchObject({
    status: 'failed',
    failure: { reason: 'insufficient_balance' },
    actions: [{ status: 'failed' }],
  });
  expect(await holdings(user)).toMatchObject(start);
});

it('keeps books that balance', async () => {
  expect(await auditMoney(deployment)).toEqual([]);
});
