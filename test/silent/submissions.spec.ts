/**
 * A signed submission is sent and never answered: no caller waits for it, nothing that was accepted is sent twice, and money moves once.
 */
import { asId, type UserId } from '@app/kernel';
import { randomUUID } from 'node:crypto';
import {
  approvalOf,
  approve,
  asking,
  confirm,
  conversationOf,
  holdings,
  newOwner,
  prepare,
  untilOperation,
  untilStatus,
  usdc,
} from '@app/testing/journeys';
import { NearChain, relayKey, startNearLoopback, type NearLoopback } from '@app/testing/near';
import { startLedger, type LedgerUnderTest } from '../providers/sandbox-provider';
import { type Deployment, type DeploymentOptions, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { SilentSocket } from '@app/testing/proxies';
import { until } from '@app/testing/until';

const WITHIN_MS = 180_000;
const publish = 'publish_intent';

let ledger: LedgerUnderTest;
let loopback: NearLoopback;
let relayWay: SilentSocket;
let deployment: Deployment;
let user: TestClient;

async function begin(mode: DeploymentOptions['mode'], limitMs: number): Promise<void> {
  ledger = await startLedger();
  // The chain's clock follows that of the deployment.
  Object.defineProperty(ledger.clock, 'nowMs', { get: () => Date.now() });
  const owners = new Map<string, UserId>();
  const ownerOf = (address: string): UserId => {
    const owner = owners.get(address) ?? asId<UserId>(randomUUID());
    owners.set(address, owner);
    return owner;
  };
  loopback = await startNearLoopback(new NearChain(ledger, ownerOf));
  relayWay = await SilentSocket.before({ host: '127.0.0.1', port: Number(new URL(loopback.url).port) });
  const urls = {
    NEAR_RPC_URL: `${loopback.url}/near`,
    ONE_CLICK_URL: loopback.url,
    ONE_CLICK_QUOTE_KEY: loopback.quoteKey,
    SOLVER_RELAY_URL: `${relayWay.url}/relay`,
    SOLVER_RELAY_TOKEN: relayKey,
  };
  const limits = { PROVIDER_TIMEOUT_MS: String(limitMs), PROVIDER_BREAKER_OPEN_MS: '1', DRAIN_SECONDS: '1' };
  deployment = await startDeployment({
    mode,
    env: { WALLET_PROVIDER: 'near-intents', LOG_LEVEL: 'silent', ...urls, ...limits },
  });
}

beforeEach(async () => {
  loopback.mute = () => false;
  loopback.asked.length = 0;
  await ledger.faults.change({ submit: 'ok', settleAfterSeconds: 0, down: false });
  user = await newOwner(deployment);
});
afterEach(async () => {
  relayWay.speak();
  await ledger.audit();
});

async function end(): Promise<void> {
  await deployment.stop();
  await relayWay.close();
  await loopback.stop();
  await ledger.stop();
}

const published = () => loopback.asked.filter((asked) => asked === publish).length;
const untilPublished = () => until('the submission', () => Promise.resolve(published() > 0 ? true : null));

/** A withdrawal of 1 USDC that its owner has confirmed. */
async function withdrawal(): Promise<string> {
  const asked = await prepare(user, usdc, '1000000');
  expect((await confirm(user, asked)).status).toBe(202);
  return asked.operationId;
}

async function settlesOnce(operationId: string): Promise<void> {
  expect(await untilOperation(user, operationId)).toMatchObject({ status: 'settled', failure: null });
  expect(published()).toBe(1);
  // A settled amount still counts as in flight until the balances include it.
  await until('the balance', async () => ((await holdings(user))[usdc] === '249000000' ? true : null));
}

describe('with a setting that ends', () => {
  beforeAll(() => begin('in-process', 5_000), WITHIN_MS);
  afterAll(end, WITHIN_MS);

  it(
    'one that was taken is asked about, and not sent again',
    async () => {
      loopback.mute = (asked) => asked === publish;
      await settlesOnce(await withdrawal());
    },
    WITHIN_MS,
  );

  it(
    'one that never arrived is sent once the relay speaks',
    async () => {
      relayWay.fallSilent();
      const operationId = await withdrawal();
      await until('the submission', () => Promise.resolve(relayWay.waiting > 0 ? true : null));
      await untilOperation(user, operationId, 'submitted');
      expect((await holdings(user))[usdc]).toBe('249000000'); // an amount in flight cannot be spent
      relayWay.speak();
      await settlesOnce(operationId);
    },
    WITHIN_MS,
  );

  it(
    'no run waits for it',
    async () => {
      const { runId, approval } = await asking(user, await conversationOf(user), 'withdraw 1 USDC');
      relayWay.fallSilent();
      expect((await approve(user, approval)).status).toBe(200);
      await untilStatus(user, runId, 'completed');
      const { operationId } = await approvalOf(user, approval.id);
      await untilOperation(user, operationId, 'submitted');
      relayWay.speak();
      await settlesOnce(operationId ?? '');
    },
    WITHIN_MS,
  );
});

describe('with a setting that nobody outlasts', () => {
  beforeAll(() => begin('processes', 600_000), WITHIN_MS);
  afterAll(end, WITHIN_MS);

  /** A withdrawal that the relay has accepted and whose worker still waits for the answer. */
  async function stuck(): Promise<string> {
    loopback.mute = (asked) => asked === publish;
    const operationId = await withdrawal();
    await untilPublished();
    return operationId;
  }

  it.each([
    ['stops in good order', 'SIGTERM', 0],
    ['is killed', 'SIGKILL', null],
  ] as const)(
    'its worker %s, and the next one asks what became of it',
    async (_, signal, code) => {
      const operationId = await stuck();
      expect(await deployment.workers[0]?.kill(signal)).toBe(code);
      expect((await user.get(`/financial-operations/${operationId}`)).body).toMatchObject({ status: 'submitted' });
      await deployment.workers[0]?.start();
      await settlesOnce(operationId);
    },
    WITHIN_MS,
  );
});
