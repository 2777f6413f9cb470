/** Agents and wallets: they read without a main account, and open none (docs/decisions/runs.md, "Tools"). */
import type { TestClient } from '@app/testing/client';
import {
  approve,
  conversationOf,
  eventsOf,
  outcomeOf,
  pendingOf,
  prompt,
  providerFault,
  say,
  type Stage,
  start,
  startStage,
  untilEnded,
} from '@app/testing/journeys';

const byRules = { profile: { model: 'parley/rules' } };

let stage: Stage;
beforeAll(async () => {
  // No token of the sandbox's issuer has such a claim, so no main account is known.
  const env = { OIDC_MAIN_ACCOUNT_CLAIM: 'main_account', BUDGET_DAY_CENTS: '100000' };
  stage = await startStage('openai-compatible', env);
});
afterAll(() => stage.stop());

const answerTo = async (user: TestClient, text: string) => {
  const { status, response } = await say(user, await conversationOf(user), text, byRules);
  return { status, text: (response as { text: string } | null)?.text }; // reason for the assertion: a Run's member
};

it.each([
  ['what is my balance', 'You have no wallet yet.'],
  ['withdraw 1 USDC', 'You have no wallet yet, so nothing was moved.'],
  ['swap 5 USDC to NEAR', 'You have no wallet yet, so nothing was moved.'],
])('a user without a wallet who asks "%s" is told so, and has none afterwards', async (asked, text) => {
  const user = await stage.deployment.newUser();
  expect(await answerTo(user, asked)).toEqual({ status: 'completed', text });
  expect((await user.get('/wallet')).status).toBe(404);
});

it('a price needs no wallet', async () => {
  const user = await stage.deployment.newUser();
  expect((await answerTo(user, 'price of NEAR')).text).toMatch(/^wNEAR is at \$\d/);
  expect((await user.get('/wallet')).status).toBe(404);
});

it('a transfer that a model asks for without a wallet is an error of its call, and nobody is asked', async () => {
  const user = await stage.deployment.newUser();
  const contract = {
    type: 'ledger_intents_transfer',
    actions: [{ kind: 'withdraw_to_owner', input: { any: true }, quantity: { kind: 'all_of_input' } }],
  };
  const conversationId = await conversationOf(user);
  stage.models.says([{ calls: [{ tool: 'intents_transfer', input: { contract } }] }, { text: ['I cannot.'] }]);
  await say(user, conversationId);
  const result = { error: 'the user has no wallet yet, and only the user can open one' };
  expect(await eventsOf(user, conversationId, 'tool.returned')).toMatchObject([{ outcome: 'error', result }]);
  expect((await user.get('/wallet')).status).toBe(404);
});

describe('a user whose main account nobody knows', () => {
  let user: TestClient;
  beforeAll(async () => {
    user = await stage.deployment.newUser();
    expect((await user.post('/wallet')).status).toBe(200);
  });

  it('reads what the wallet holds', async () => {
    expect((await answerTo(user, 'what is my balance')).text).toContain('250 USDC');
  });

  it('swaps', async () => {
    await providerFault(stage.deployment, prompt);
    const { runId } = (await start(user, await conversationOf(user), 'swap 5 USDC to NEAR', byRules)).body;
    const approval = await pendingOf(user, runId);
    expect((await approve(user, approval)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
  });

  it('withdraws nothing, and is told why', async () => {
    const { text } = await answerTo(user, 'withdraw 1 USDC');
    expect(text).toBe(
      "It could not be done: the service does not know the user's main account, so nothing can be withdrawn.",
    );
  });
});
