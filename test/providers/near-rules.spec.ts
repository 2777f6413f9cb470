import { Logger } from '@nestjs/common';
import { epochMsOf, instantOf } from '@app/kernel';
import { SessionRejected, type Order, type Revocation, type Submission, type WalletAccount } from '@app/wallets';
import { randomUUID } from 'node:crypto';
import { newMainAccount, usdc, wNear } from './harness';
import { relayKey, type WireSigned } from '@app/testing/near';
import { startNearProvider, type NearUnderTest } from './near-provider';

const operationSeconds = 300;
const settledAfterSeconds = 60;
const daySeconds = 24 * 60 * 60;

interface RelayRequest {
  readonly params: readonly [{ readonly signed_data: WireSigned }];
}

/** What the contract of all providers cannot ask: the rules of the verifier contract, the relay and 1Click. */
describe('NEAR Intents', () => {
  let world: NearUnderTest;
  let wallet: WalletAccount;
  let owner: string;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    world = await startNearProvider();
  });
  beforeEach(async () => {
    wallet = world.newWallet();
    owner = newMainAccount();
    await world.provider.connect(wallet);
    world.loopback.asked.length = 0;
  });
  afterEach(async () => {
    world.loopback.instead = null;
    await world.setFaults({ submit: 'ok' });
    await world.audit();
  });
  afterAll(async () => {
    Logger.overrideLogger(true);
    await world.stop();
  });

  function order(what: Order['order'], overrides: Partial<Order> = {}): Order {
    const latestDeadline = instantOf(epochMsOf(world.now()) + operationSeconds * 1000);
    return { wallet, key: `${randomUUID()}/0/1`, attempt: 1, order: what, latestDeadline, ...overrides };
  }

  const withdraw = (amountRaw: string, overrides: Partial<Order> = {}): Order =>
    order({ kind: 'withdraw', input: { tokenId: usdc, amountRaw }, mainAccountId: owner }, overrides);
  const swap = (amountRaw: string): Order =>
    order({ kind: 'swap_exact_input', input: { tokenId: usdc, amountRaw }, outputTokenId: wNear });
  const submit = (submission: Submission) => world.provider.submit(wallet, submission);
  const settlement = (submission: Submission) => world.provider.settlement(wallet, submission);
  const received = () => world.received(owner, usdc);

  async function plan(what: Order): Promise<Submission> {
    const planned = await world.provider.plan(what);
    if (!planned.ok) throw new Error(`not planned: ${planned.failure.reason}`);
    return planned.submission;
  }

  /** What the relay says to bytes that it is sent by anybody. */
  async function relayTo(bytes: string): Promise<unknown> {
    const headers = { 'content-type': 'application/json', 'x-api-key': relayKey };
    const response = await fetch(`${world.loopback.url}/relay`, { method: 'POST', headers, body: bytes });
    return ((await response.json()) as { result: unknown }).result;
  }

  /** What the contract says to bytes that anybody brings to it; null when it executes them. */
  async function execute(bytes: string): Promise<string | null> {
    const { params } = JSON.parse(bytes) as RelayRequest;
    return world.chain.execute(params[0].signed_data, bytes);
  }

  async function revocationOf(submission: Submission): Promise<Revocation> {
    const revocation = await world.provider.revocations?.plan(wallet, submission);
    if (revocation == null) throw new Error('it cannot be revoked');
    return revocation;
  }

  const instead = (asked: string, answer: object): void => {
    world.loopback.instead = (name) => (name === asked ? JSON.stringify(answer) : null);
  };
  const relayForgets = { result: { status: 'NOT_FOUND_OR_NOT_VALID', intent_hash: 'x' } };
  const relayFailed = { result: { ...relayForgets.result, status_details: 'FAILED' } };

  describe('the relay refuses', () => {
    it('a signature that is not right', async () => {
      const submission = await plan(withdraw('1000000'));
      const other = await plan(withdraw('2000000'));
      const signature = /"signature":"[^"]+"/;
      const bytes = submission.bytes.replace(signature, signature.exec(other.bytes)?.[0] ?? '');
      expect(bytes).not.toBe(submission.bytes);
      expect(await relayTo(bytes)).toMatchObject({ status: 'FAILED', reason: 'invalid signature' });
      expect(await submit({ ...submission, bytes })).toMatchObject({ kind: 'refused' });
    });

    it('a nonce that was used: of two intents signed under one key, one has its effect', async () => {
      const key = `${randomUUID()}/0/1`;
      const { latestDeadline } = withdraw('1');
      const one = await plan(withdraw('1000000', { key, latestDeadline }));
      const other = await plan(withdraw('2000000', { key, latestDeadline }));
      expect(await relayTo(one.bytes)).toMatchObject({ status: 'OK' });
      expect(await relayTo(other.bytes)).toMatchObject({ status: 'FAILED', reason: 'nonce was already used' });
      expect(await relayTo(one.bytes)).toMatchObject({ status: 'FAILED', reason: 'already processed' });
      world.advance(settledAfterSeconds);
      await settlement(one);
      expect(await received()).toBe(1_000_000n);
    });

    it('the rest of a batch from the first on that it refuses', async () => {
      const [one, other] = [await plan(withdraw('1000000')), await plan(withdraw('2000000'))];
      const signed = [one, one, other].map(({ bytes }) => (JSON.parse(bytes) as RelayRequest).params[0].signed_data);
      const params = [{ quote_hashes: [], signed_datas: signed }];
      const answer = await relayTo(JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'publish_intents', params }));
      expect(answer).toMatchObject({ status: 'FAILED', reason: 'already processed' });
      expect((answer as { intent_hashes: string[] }).intent_hashes).toHaveLength(2);
      expect(await relayTo(other.bytes)).toMatchObject({ status: 'OK' });
    });

    it('a salt that the contract does not take any more, but one that it has only replaced', async () => {
      const submission = await plan(withdraw('1000000'));
      const salts = [...world.chain.salts];
      world.chain.salts.push('0badcafe');
      expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
      const late = await plan(withdraw('1000000'));
      world.chain.salts.splice(0, Infinity, 'deadbeef');
      expect(await relayTo(late.bytes)).toMatchObject({ status: 'FAILED', reason: 'invalid salt' });
      expect(await submit(late)).toMatchObject({ kind: 'refused', failure: { reason: 'provider_rejected' } });
      world.chain.salts.splice(0, Infinity, ...salts);
    });

    it('a deadline that has passed', async () => {
      const submission = await plan(withdraw('1000000'));
      world.advance(operationSeconds + 1);
      expect(await relayTo(submission.bytes)).toMatchObject({ status: 'FAILED', reason: 'deadline has expired' });
    });

    it('a key that is not the account’s', async () => {
      const stranger = world.newWallet();
      await world.provider.connect(stranger);
      const submission = await plan(withdraw('1000000', { wallet: { ...stranger, address: wallet.address } }));
      expect(await relayTo(submission.bytes)).toMatchObject({ status: 'FAILED', reason: 'invalid signature' });
    });
  });

  describe('the same submission', () => {
    it('has the same bytes when it is planned again of the same', async () => {
      const what = withdraw('1000000');
      expect((await plan(what)).bytes).toBe((await plan(what)).bytes);
    });

    it('is sent byte by byte', async () => {
      const submission = await plan(withdraw('1000000'));
      const request = JSON.parse(submission.bytes) as { id: string; method: string };
      expect(request).toMatchObject({ id: submission.key, method: 'publish_intent' });
      expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
      expect(await relayTo(submission.bytes)).toMatchObject({ reason: 'already processed' });
    });
  });

  describe('what became of a submission', () => {
    it('says the contract, when the relay has forgotten it', async () => {
      const submission = await plan(withdraw('1000000'));
      await submit(submission);
      world.advance(settledAfterSeconds);
      instead('get_status', relayForgets);
      expect(await settlement(submission)).toMatchObject({ kind: 'settled' });
      world.advance(operationSeconds);
      expect(await settlement(submission)).toMatchObject({ kind: 'settled' });
    });

    it('is told only once the chain’s own time is past the deadline, when its execution failed', async () => {
      const submission = await plan(withdraw('1000000'));
      instead('get_status', relayFailed);
      expect(await settlement(submission)).toMatchObject({ kind: 'pending', checkAt: submission.deadline });
      world.advance(operationSeconds + 1);
      expect(await settlement(submission)).toMatchObject({ kind: 'failed', failure: { reason: 'provider_rejected' } });
    });

    it('cannot be said once the contract may have forgotten its nonce', async () => {
      const [kept, invalidated] = [await plan(withdraw('1000000')), await plan(withdraw('1000000'))];
      world.advance(operationSeconds + 1);
      expect(await settlement(kept)).toEqual({ kind: 'never_accepted', isFinal: true });
      const salts = [...world.chain.salts];
      world.chain.salts.splice(0, Infinity, 'deadbeef');
      expect(await settlement(invalidated)).toEqual({ kind: 'unknown' });
      world.chain.salts.splice(0, Infinity, ...salts);
      world.advance(daySeconds - operationSeconds - 2);
      expect(await settlement(kept)).toEqual({ kind: 'never_accepted', isFinal: true });
      world.advance(operationSeconds + 1);
      expect(await settlement(kept)).toEqual({ kind: 'unknown' });
    });

    it('cannot be said of a swap that 1Click does not know, or failed over', async () => {
      const submission = await plan(swap('10000000'));
      await submit(submission);
      instead('GET /v0/status', { status: 'FAILED', swapDetails: {} });
      expect(await settlement(submission)).toEqual({ kind: 'unknown' });
      world.loopback.instead = null;
      world.advance(settledAfterSeconds);
      expect(await settlement(submission)).toMatchObject({ kind: 'settled' });
    });

    it('tells what came back of a swap: what an exact output did not need, and of a refund all but the fee', async () => {
      const submission = await plan(swap('10000000'));
      await submit(submission);
      const details = { amountOut: '7', refundedAmount: '120' };
      const returned = { tokenId: usdc, amountRaw: '120' };
      instead('GET /v0/status', { status: 'SUCCESS', swapDetails: details });
      expect(await settlement(submission)).toMatchObject({ kind: 'settled', output: { amountRaw: '7' }, returned });
      instead('GET /v0/status', { status: 'REFUNDED', swapDetails: { ...details, amountOut: '0' } });
      expect(await settlement(submission)).toMatchObject({ kind: 'refunded', output: null, returned });
    });

    it('is hurried along when 1Click has not seen the deposit yet', async () => {
      const submission = await plan(swap('10000000'));
      await submit(submission);
      instead('GET /v0/status', { status: 'PENDING_DEPOSIT', swapDetails: {} });
      expect(await settlement(submission)).toMatchObject({ kind: 'pending' });
      expect(world.loopback.asked).toContain('POST /v0/deposit/submit');
    });
  });

  describe('what was refused', () => {
    const whole = '250000000';

    it('for want of balance is executed when strangers bring the same bytes once the wallet was funded', async () => {
      const [one, other] = [await plan(withdraw(whole)), await plan(withdraw(whole))];
      expect(await submit(one)).toMatchObject({ kind: 'accepted' });
      expect(await submit(other)).toMatchObject({ kind: 'refused', failure: { reason: 'insufficient_balance' } });
      expect(await settlement(other)).toEqual({ kind: 'never_accepted', isFinal: false });
      await world.fund(wallet, { tokenId: usdc, amountRaw: whole });
      expect(await execute(other.bytes)).toBeNull();
      world.advance(settledAfterSeconds);
      expect(await settlement(other)).toMatchObject({ kind: 'settled' });
    });

    it('never can be executed once it was revoked', async () => {
      const [one, other] = [await plan(withdraw(whole)), await plan(withdraw(whole))];
      await submit(one);
      await submit(other);
      const revocation = await revocationOf(other);
      await world.provider.revocations?.send(wallet, revocation);
      expect(await world.provider.settlement(wallet, other, revocation)).toEqual({
        kind: 'never_accepted',
        isFinal: true,
      });
      await world.fund(wallet, { tokenId: usdc, amountRaw: whole });
      expect(await execute(other.bytes)).toBe('nonce was already used');
    });

    it('and executed before its revocation is settled, as far as the relay knows which of the two was executed', async () => {
      const [known, unknown] = [await plan(withdraw('1000000')), await plan(withdraw('1000000'))];
      const revocations = [await revocationOf(known), await revocationOf(unknown)] as const;
      expect(await relayTo(known.bytes)).toMatchObject({ status: 'OK' });
      expect(await execute(unknown.bytes)).toBeNull();
      for (const revocation of revocations) await world.provider.revocations?.send(wallet, revocation);
      world.advance(settledAfterSeconds);
      expect(await world.provider.settlement(wallet, known, revocations[0])).toMatchObject({ kind: 'settled' });
      expect(await world.provider.settlement(wallet, unknown, revocations[1])).toEqual({ kind: 'unknown' });
    });

    it('while the account was locked is executed once it is not any more', async () => {
      const submission = await plan(withdraw('1000000'));
      world.chain.locked.add(wallet.address);
      await expect(submit(submission)).rejects.toBeInstanceOf(SessionRejected);
      await expect(world.provider.connect(wallet)).rejects.toBeInstanceOf(SessionRejected);
      expect(await settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: false });
      world.chain.locked.delete(wallet.address);
      expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
    });

    it('in words that are not the contract’s was not refused: nobody can tell', async () => {
      const submission = await plan(withdraw('1000000'));
      instead('publish_intent', { result: { status: 'FAILED', reason: 'solvers are asleep', intent_hash: 'x' } });
      await expect(submit(submission)).rejects.toMatchObject({ reason: 'provider_unavailable' });
    });

    it('at its deadline may still be executed, and a moment later not', async () => {
      const submission = await plan(withdraw('1000000'));
      world.advance(operationSeconds);
      expect(await settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: false });
      world.advance(1);
      expect(await settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: true });
      expect(await execute(submission.bytes)).toBe('deadline has expired');
    });
  });

  describe('a main account', () => {
    it.each(['ab'.repeat(32), `0x${'ab'.repeat(20)}`, 'ada.near'])('is %s', async (account) =>
      expect(await world.provider.isMainAccount(account)).toBe(true),
    );
    it.each(['3fa85f64-5717-4562-b3fc-2c963f66afa6', 'ada', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'])(
      'is not %s: nobody holds a key to it, and nothing is signed for it',
      async (mainAccountId) => {
        expect(await world.provider.isMainAccount(mainAccountId)).toBe(false);
        const what = order({ kind: 'withdraw', input: { tokenId: usdc, amountRaw: '1000000' }, mainAccountId });
        expect(await world.provider.plan(what)).toEqual({
          ok: false,
          failure: { reason: 'provider_rejected', text: 'The main account does not exist on NEAR.' },
        });
      },
    );
  });

  it('offers the tokens that the contract can hold, and leaves a malformed one out alone', async () => {
    const good = { assetId: 'nep141:good.near', symbol: 'GOOD', decimals: 6, price: 1 };
    const odd = [{ ...good, assetId: '1cs_v1:btc:native:coin' }, { ...good, decimals: 'six' }, 'GOOD', null];
    instead('GET /v0/tokens', [...odd, good]);
    expect((await world.provider.tokensCalled('good')).map(({ tokenId }) => tokenId)).toEqual([good.assetId]);
    expect(await world.provider.findToken('1cs_v1:btc:native:coin')).toBeNull();
    expect(await world.provider.holdings(wallet)).toHaveLength(4);
  });

  it('tells a view that the contract ended from an outage', async () => {
    instead('query', { jsonrpc: '2.0', id: 'parley', result: { error: 'wasm execution failed', logs: [] } });
    await expect(world.provider.holdings(wallet)).rejects.toMatchObject({ reason: 'provider_unavailable' });
  });

  it('holds many tokens, some of which nobody describes', async () => {
    const tokenIds = Array.from({ length: 230 }, (_, index) => `nep141:${'junk'.repeat(20)}${index}.near`);
    for (const tokenId of tokenIds) await world.fund(wallet, { tokenId, amountRaw: '7' });
    const holdings = await world.provider.holdings(wallet);
    expect(holdings.length).toBe(230 + 4);
    const junk = holdings.find(({ tokenId }) => tokenId === tokenIds[229]);
    expect(junk).toMatchObject({ amountRaw: '7', decimals: null, priceUsdDecimal: null });
    expect(junk?.symbol.length).toBeLessThanOrEqual(64);
  });
});
