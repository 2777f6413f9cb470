/** The product on NEAR Intents: the journeys of the sandbox's money, on a loopback with a separate ledger and clock. */
import { asId, type UserId } from '@app/kernel';
import { randomUUID } from 'node:crypto';
import {
  approve,
  asking,
  confirm,
  conversationOf,
  expectProblem,
  holdings,
  newOwner,
  outcomeOf,
  prepare,
  untilOperation,
  untilStatus,
} from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { usdc, wNear } from './harness';
import { NearChain, relayKey, startNearLoopback, type NearLoopback } from '@app/testing/near';
import { startLedger, type LedgerUnderTest } from './sandbox-provider';

let ledger: LedgerUnderTest;
let chain: NearChain;
let loopback: NearLoopback;
let deployment: Deployment;
let user: TestClient;

beforeAll(async () => {
  ledger = await startLedger();
  // The chain's time passes like the deployment's.
  Object.defineProperty(ledger.clock, 'nowMs', { get: () => Date.now() });
  const owners = new Map<string, UserId>();
  const ownerOf = (address: string): UserId => {
    const owner = owners.get(address) ?? asId<UserId>(randomUUID());
    owners.set(address, owner);
    return owner;
  };
  chain = new NearChain(ledger, ownerOf);
  loopback = await startNearLoopback(chain);
  deployment = await startDeployment({
    mode: 'in-process',
    env: {
      WALLET_PROVIDER: 'near-intents',
      NEAR_RPC_URL: `${loopback.url}/near`,
      ONE_CLICK_URL: loopback.url,
      ONE_CLICK_QUOTE_KEY: loopback.quoteKey,
      SOLVER_RELAY_URL: `${loopback.url}/relay`,
      SOLVER_RELAY_TOKEN: relayKey,
      PROVIDER_BREAKER_OPEN_MS: '1',
      LOG_LEVEL: 'silent',
    },
  });
});
beforeEach(async () => {
  await ledger.faults.change({ submit: 'ok', settleAfterSeconds: 0, down: false });
  user = await newOwner(deployment);
});
afterEach(() => ledger.audit());
afterAll(async () => {
  await deployment.stop();
  await loopback.stop();
  await ledger.stop();
});

describe('the product on NEAR Intents', () => {
  it('withdraws what was confirmed, to the owner’s account', async () => {
    const asked = await prepare(user, usdc, '1500000');
    expect((await confirm(user, asked)).status).toBe(202);
    const operation = await untilOperation(user, asked.operationId);
    expect(operation).toMatchObject({ status: 'settled', actions: [{ status: 'settled' }] });
    expect(operation.actions[0]?.['providerReference']).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    expect((await holdings(user))[usdc]).toBe('248500000');
    expect(await ledger.balance(`main:${String(asked['mainAccountId'])}`, usdc)).toBe(1_500_000n);
  });

  it('lets an agent swap with consent', async () => {
    const { runId, approval } = await asking(user, await conversationOf(user), 'swap 5 USDC to NEAR');
    expect((await approve(user, approval)).status).toBe(200);
    await untilStatus(user, runId, 'completed');
    expect(await outcomeOf(user, approval.id)).toMatchObject({
      status: 'settled',
      failure: null,
      actions: [{ kind: 'swap', status: 'settled', output: { tokenId: wNear } }],
    });
    const held = await holdings(user);
    expect(held[usdc]).toBe('245000000');
    expect(BigInt(held[wNear] ?? 0) > 40n * 10n ** 24n).toBe(true);
  });

  it('has one effect when the relay’s answer is lost', async () => {
    await ledger.faults.change({ submit: 'timeout_after_accept' });
    const asked = await prepare(user, usdc, '1000000');
    await confirm(user, asked);
    expect(await untilOperation(user, asked.operationId)).toMatchObject({ status: 'settled' });
    expect((await holdings(user))[usdc]).toBe('249000000');
  });

  it('gives a swap back that 1Click could not make', async () => {
    await ledger.faults.change({ submit: 'refund' });
    const { runId, approval } = await asking(user, await conversationOf(user), 'swap 5 USDC to NEAR');
    await approve(user, approval);
    await untilStatus(user, runId, 'completed');
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'failed', failure: { reason: 'refunded' } });
    expect((await holdings(user))[usdc]).toBe('250000000');
  });

  it('says when its provider is away, and asks owners to reconnect whose keys are not taken any more', async () => {
    await ledger.faults.change({ down: true });
    expectProblem(await user.get('/wallet/withdrawals/sources'), 'provider_unavailable');
    await ledger.faults.change({ down: false, sessionRejected: true });
    expectProblem(await user.get('/wallet/withdrawals/sources'), 'withdrawal_changed', {
      change: 'authorization_required',
    });
    expect((await user.get('/wallet')).body).toMatchObject({ authStatus: 'authorization_required' });
    await chain.addKey(String((await user.get('/wallet')).body['address']));
    expect((await user.post('/wallet')).body).toMatchObject({ authStatus: 'ready' });
    expect((await holdings(user))[usdc]).toBe('250000000');
  });
});
