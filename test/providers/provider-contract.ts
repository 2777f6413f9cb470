import { asId, instantOf, epochMsOf, Unavailable } from '@app/kernel';
import { SessionRejected, type Order, type Planned, type Submission, type WalletAccount } from '@app/wallets';
import { randomUUID } from 'node:crypto';
import { ether, indescribable, usdc, wNear, type ProviderUnderTest } from './harness';
import { newMainAccount } from './sandbox-provider';

/** How long an operation may go on: its submissions' latest deadline. */
const operationSeconds = 900;
/** Repeats of one submission at once. */
const repeats = 20;
/** In the sandbox and on the loopback, everything has settled by then. */
const settledAfterSeconds = 60;

const providerAway = { constructor: Unavailable, reason: 'provider_unavailable' };

/** What every WalletProvider promises, whatever it stands on; the port's own comments in libs/wallets/src/wallet-provider.ts. */
export function providerContract(name: string, make: () => Promise<ProviderUnderTest>): void {
  describe(`${name} as a wallet provider`, () => {
    let world: ProviderUnderTest;
    let wallet: WalletAccount;
    let owner: string;

    beforeAll(async () => (world = await make()));
    beforeEach(async () => {
      wallet = world.newWallet();
      owner = newMainAccount();
      await world.provider.connect(wallet);
    });
    afterEach(async () => {
      await world.setFaults({
        ...{ submit: 'ok', settleAfterSeconds: 2, down: false, sessionRejected: false },
        ...{ unpriced: false, undescribed: false },
      });
      for (const tokenId of [usdc, wNear, ether]) await world.pinPrice(tokenId, null);
      await world.audit();
    });
    afterAll(() => world.stop());

    const holdings = async (of = wallet): Promise<Record<string, string>> =>
      Object.fromEntries((await world.provider.holdings(of)).map(({ tokenId, amountRaw }) => [tokenId, amountRaw]));

    function order(what: Order['order'], overrides: Partial<Order> = {}): Order {
      const latestDeadline = instantOf(epochMsOf(world.now()) + operationSeconds * 1000);
      return { wallet, key: `${randomUUID()}/0/1`, attempt: 1, order: what, latestDeadline, ...overrides };
    }

    const withdraw = (amountRaw: string, tokenId = usdc): Order =>
      order({ kind: 'withdraw', input: { tokenId, amountRaw }, mainAccountId: owner });
    const swapUsdc = (amountRaw: string): Order =>
      order({ kind: 'swap_exact_input', input: { tokenId: usdc, amountRaw }, outputTokenId: wNear });

    async function plan(what: Order): Promise<Submission> {
      const planned = await world.provider.plan(what);
      if (!planned.ok) throw new Error(`not planned: ${planned.failure.reason}`);
      return planned.submission;
    }

    const failureOf = (planned: Planned): string => (planned.ok ? 'planned' : planned.failure.reason);
    const submit = (submission: Submission) => world.provider.submit(wallet, submission);
    const settlement = (submission: Submission) => world.provider.settlement(wallet, submission);

    describe('wallets and tokens', () => {
      it('start with a balance, once, however often they connect', async () => {
        await Promise.all(Array.from({ length: 5 }, () => world.provider.connect(wallet)));
        expect(await holdings()).toEqual({
          [usdc]: '250000000',
          [wNear]: '40000000000000000000000000',
          [ether]: '50000000000000000',
          [indescribable]: expect.stringMatching(/^[1-9]\d*$/) as unknown,
        });
      });

      it('are described with what the provider knows, and null for what it does not', async () => {
        const held = await world.provider.holdings(wallet);
        expect(held.find(({ tokenId }) => tokenId === usdc)).toMatchObject({ symbol: 'USDC', decimals: 6 });
        expect(held.find(({ tokenId }) => tokenId === indescribable)).toMatchObject({
          ...{ decimals: null, priceUsdDecimal: null },
        });
        for (const { symbol, name: tokenName, priceUsdDecimal, iconUrl } of held) {
          expect(symbol).toMatch(/^.{1,64}$/);
          expect(tokenName).toMatch(/^.{1,256}$/);
          expect(priceUsdDecimal ?? '1').toMatch(/^(0|[1-9]\d*)(\.\d+)?$/);
          expect(iconUrl ?? 'https://').toMatch(/^https:\/\//);
        }
      });

      it('are found by id, and by symbol in any case; NEAR is wNEAR', async () => {
        const found = async (by: Parameters<typeof world.provider.findToken>[0]) =>
          (await world.provider.findToken(by))?.tokenId;
        expect(await found({ tokenId: usdc })).toBe(usdc);
        for (const symbol of ['NEAR', 'near', 'wNEAR', 'WNEAR']) expect(await found({ symbol })).toBe(wNear);
        expect(await found({ symbol: 'uSdC' })).toBe(usdc);
        for (const by of [{ tokenId: 'nep141:nobody.near' }, { symbol: 'NOPE' }, { symbol: '' }, { tokenId: '' }]) {
          expect(await world.provider.findToken(by)).toBeNull();
        }
      });

      it('have no price, or no decimals, when the provider says so', async () => {
        await world.setFaults({ unpriced: true });
        expect(await world.provider.findToken({ tokenId: usdc })).toMatchObject({ decimals: 6, priceUsdDecimal: null });
        expect(failureOf(await world.provider.plan(swapUsdc('5000000')))).toBe('provider_rejected');
        expect(failureOf(await world.provider.plan(withdraw('5000000')))).toBe('planned');
        await world.setFaults({ unpriced: false, undescribed: true });
        expect(await world.provider.findToken({ tokenId: usdc })).toMatchObject({ decimals: null });
        expect((await world.provider.holdings(wallet)).every(({ decimals }) => decimals === null)).toBe(true);
      });
    });

    describe('plans', () => {
      it('have no effect, and say what is sent, from what, until when', async () => {
        const before = await holdings();
        const what = withdraw('1500000');
        const submission = await plan(what);
        expect(submission).toMatchObject({
          ...{ key: what.key, attempt: 1, input: { tokenId: usdc, amountRaw: '1500000' }, output: null },
        });
        expect(submission.deadline <= what.latestDeadline).toBe(true);
        expect(submission.deadline > world.now()).toBe(true);
        expect(await settlement(submission)).toEqual({ kind: 'never_accepted' });
        expect(await holdings()).toEqual(before);
      });

      it('are refused for more than the wallet has, for unknown tokens, and for nothing at all', async () => {
        expect(failureOf(await world.provider.plan(withdraw('250000001')))).toBe('insufficient_balance');
        expect(failureOf(await world.provider.plan(withdraw('1', 'nep141:nobody.near')))).not.toBe('planned');
        expect(failureOf(await world.provider.plan(withdraw('0')))).not.toBe('planned');
        expect(failureOf(await world.provider.plan(swapUsdc('250000001')))).toBe('insufficient_balance');
      });

      it('quote a swap by the prices: exact input rounds what comes out down', async () => {
        await world.pinPrice(usdc, '1');
        await world.pinPrice(wNear, '3');
        const submission = await plan(swapUsdc('10000000'));
        expect(submission.input).toEqual({ tokenId: usdc, amountRaw: '10000000' });
        expect(submission.output).toEqual({ tokenId: wNear, amountRaw: '3333333333333333333333333' });
      });

      it('quote a swap by the prices: exact output rounds what goes in up, within its bound', async () => {
        await world.pinPrice(usdc, '1');
        await world.pinPrice(wNear, '3');
        const exactly = (inputMaxRaw: string): Order =>
          order({
            ...{ kind: 'swap_exact_output', inputTokenId: usdc, inputMaxRaw },
            output: { tokenId: wNear, amountRaw: '1000000000000000000000001' },
          });
        expect((await plan(exactly('3000001'))).input).toEqual({ tokenId: usdc, amountRaw: '3000001' });
        expect(failureOf(await world.provider.plan(exactly('3000000')))).toBe('insufficient_balance');
      });
    });

    describe('submissions', () => {
      it('of a withdrawal land in the main account once they have settled, and not before', async () => {
        const submission = await plan(withdraw('1500000'));
        const taken = await submit(submission);
        expect(taken).toMatchObject({ kind: 'accepted', providerReference: expect.stringMatching(/./) as unknown });
        const reference = taken.kind === 'accepted' ? taken.providerReference : '';
        expect(await settlement(submission)).toMatchObject({ kind: 'pending', providerReference: reference });
        expect(await holdings()).toMatchObject({ [usdc]: '250000000' });
        expect(await world.received(owner, usdc)).toBe(0n);
        world.advance(settledAfterSeconds);
        expect(await settlement(submission)).toEqual({ kind: 'settled', providerReference: reference, output: null });
        expect(await holdings()).toMatchObject({ [usdc]: '248500000' });
        expect(await world.received(owner, usdc)).toBe(1_500_000n);
      });

      it('of a swap deliver what was quoted', async () => {
        const submission = await plan(swapUsdc('10000000'));
        await submit(submission);
        world.advance(settledAfterSeconds);
        expect(await settlement(submission)).toMatchObject({ kind: 'settled', output: submission.output });
        const after = await holdings();
        expect(after[usdc]).toBe('240000000');
        const delivered = BigInt(submission.output?.amountRaw ?? 0);
        expect(BigInt(after[wNear] ?? 0)).toBe(40_000_000_000_000_000_000_000_000n + delivered);
      });

      it('of a swap to an exact output deliver exactly that, for no more than the bound', async () => {
        const output = { tokenId: wNear, amountRaw: '1234567890123456789012345' };
        const inputMaxRaw = '200000000';
        const submission = await plan(order({ kind: 'swap_exact_output', inputTokenId: usdc, inputMaxRaw, output }));
        await submit(submission);
        world.advance(settledAfterSeconds);
        expect(await settlement(submission)).toMatchObject({ kind: 'settled', output });
        const spent = 250_000_000n - BigInt((await holdings())[usdc] ?? 0);
        expect(spent <= BigInt(inputMaxRaw)).toBe(true);
        expect(spent > 0n).toBe(true);
      });

      it('have one effect, however often and at once they are sent, also after they settled', async () => {
        const submission = await plan(withdraw('1000000'));
        const answers = await Promise.all(Array.from({ length: repeats }, () => submit(submission)));
        const references = answers.map((answer) =>
          answer.kind === 'accepted' ? answer.providerReference : 'rejected',
        );
        expect(new Set(references).size).toBe(1);
        world.advance(settledAfterSeconds);
        expect(await settlement(submission)).toMatchObject({ kind: 'settled' });
        expect(await submit(submission)).toMatchObject({ kind: 'accepted', providerReference: references[0] });
        expect(await holdings()).toMatchObject({ [usdc]: '249000000' });
        expect(await world.received(owner, usdc)).toBe(1_000_000n);
      });

      it('never take more than the wallet has, whichever of them win', async () => {
        const submissions = await Promise.all(Array.from({ length: 8 }, () => plan(withdraw('100000000'))));
        const answers = await Promise.all(submissions.map((submission) => submit(submission)));
        const rejected = answers.filter((answer) => answer.kind === 'rejected');
        expect(rejected).toHaveLength(6);
        for (const answer of rejected) expect(answer).toMatchObject({ failure: { reason: 'insufficient_balance' } });
        world.advance(settledAfterSeconds);
        const ends = await Promise.all(submissions.map((submission) => settlement(submission)));
        expect(ends.filter(({ kind }) => kind === 'settled')).toHaveLength(2);
        expect(await holdings()).toMatchObject({ [usdc]: '50000000' });
      });

      it('that were rejected stay so, also once the wallet could pay', async () => {
        const [one, other] = [await plan(withdraw('200000000')), await plan(withdraw('200000000'))];
        expect(await submit(one)).toMatchObject({ kind: 'accepted' });
        expect(await submit(other)).toMatchObject({ kind: 'rejected', failure: { reason: 'insufficient_balance' } });
        await world.fund(wallet, { tokenId: usdc, amountRaw: '500000000' });
        expect(await submit(other)).toMatchObject({ kind: 'rejected', failure: { reason: 'insufficient_balance' } });
        expect(await settlement(other)).toMatchObject({ kind: 'failed', failure: { reason: 'insufficient_balance' } });
      });

      it('are not taken after their deadline, and were never accepted then', async () => {
        const submission = await plan(withdraw('1000000'));
        world.advance(operationSeconds);
        expect(await settlement(submission)).toEqual({ kind: 'never_accepted' });
        expect(await submit(submission)).toMatchObject({ kind: 'rejected', failure: { reason: 'quote_expired' } });
        expect(await settlement(submission)).toEqual({ kind: 'never_accepted' });
        expect(await holdings()).toMatchObject({ [usdc]: '250000000' });
      });

      it('that are tampered with have no effect', async () => {
        const submission = await plan(withdraw('1000000'));
        const bytes = submission.bytes.replace('1000000', '9000000');
        expect(bytes).not.toBe(submission.bytes);
        expect(await submit({ ...submission, bytes })).toMatchObject({ kind: 'rejected' });
        world.advance(settledAfterSeconds);
        expect(await holdings()).toMatchObject({ [usdc]: '250000000' });
      });
    });

    describe('when things go wrong', () => {
      it('a submission that never arrived can be sent again', async () => {
        const submission = await plan(withdraw('1000000'));
        await world.setFaults({ submit: 'timeout_before_accept' });
        await expect(submit(submission)).rejects.toMatchObject(providerAway);
        expect(await settlement(submission)).toEqual({ kind: 'never_accepted' });
        await world.setFaults({ submit: 'ok' });
        expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
        world.advance(settledAfterSeconds);
        expect(await settlement(submission)).toMatchObject({ kind: 'settled' });
        expect(await world.received(owner, usdc)).toBe(1_000_000n);
      });

      it('a submission whose answer was lost is found, and has one effect when it is sent again', async () => {
        const submission = await plan(withdraw('1000000'));
        await world.setFaults({ submit: 'timeout_after_accept' });
        await expect(submit(submission)).rejects.toMatchObject(providerAway);
        expect(await settlement(submission)).toMatchObject({ kind: 'pending' });
        await world.setFaults({ submit: 'ok' });
        expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
        world.advance(settledAfterSeconds);
        expect(await settlement(submission)).toMatchObject({ kind: 'settled' });
        expect(await world.received(owner, usdc)).toBe(1_000_000n);
      });

      it('a submission that cannot be found at first is not declared lost', async () => {
        const submission = await plan(withdraw('1000000'));
        await world.setFaults({ submit: 'not_found_first', settleAfterSeconds: 600 });
        await submit(submission).catch((error: unknown) => expect(error).toMatchObject(providerAway));
        expect(['unknown', 'pending']).toContain((await settlement(submission)).kind);
        world.advance(300);
        expect(['unknown', 'pending']).toContain((await settlement(submission)).kind);
        world.advance(300 + settledAfterSeconds);
        expect(await settlement(submission)).toMatchObject({ kind: 'settled' });
        expect(await world.received(owner, usdc)).toBe(1_000_000n);
      });

      it('a refused order moves nothing', async () => {
        const submission = await plan(withdraw('1000000'));
        await world.setFaults({ submit: 'reject' });
        expect(await submit(submission)).toMatchObject({ kind: 'rejected', failure: { reason: 'provider_rejected' } });
        await world.setFaults({ submit: 'ok' });
        expect(await submit(submission)).toMatchObject({ kind: 'rejected', failure: { reason: 'provider_rejected' } });
        expect(await settlement(submission)).toMatchObject({
          kind: 'failed',
          failure: { reason: 'provider_rejected' },
        });
        world.advance(settledAfterSeconds);
        expect(await holdings()).toMatchObject({ [usdc]: '250000000' });
      });

      it('a refunded swap gives back what it took', async () => {
        const before = await holdings();
        const submission = await plan(swapUsdc('10000000'));
        await world.setFaults({ submit: 'refund' });
        expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
        world.advance(settledAfterSeconds);
        expect(await settlement(submission)).toMatchObject({ kind: 'refunded', output: null });
        expect(await holdings()).toEqual(before);
      });

      it('a partly filled swap gives back the rest, and says what it delivered', async () => {
        const before = await holdings();
        const submission = await plan(swapUsdc('10000000'));
        await world.setFaults({ submit: 'partial_fill' });
        expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
        world.advance(settledAfterSeconds);
        const end = await settlement(submission);
        expect(end).toMatchObject({ kind: 'refunded', output: { tokenId: wNear } });
        const delivered = BigInt(end.kind === 'refunded' ? (end.output?.amountRaw ?? 0) : 0);
        expect(delivered > 0n && delivered < BigInt(submission.output?.amountRaw ?? 0)).toBe(true);
        const after = await holdings();
        expect(BigInt(after[wNear] ?? 0) - BigInt(before[wNear] ?? 0)).toBe(delivered);
        const spent = BigInt(before[usdc] ?? 0) - BigInt(after[usdc] ?? 0);
        expect(spent > 0n && spent < 10_000_000n).toBe(true);
      });

      it('a quote that has moved is not taken', async () => {
        const submission = await plan(swapUsdc('10000000'));
        await world.setFaults({ submit: 'quote_moved' });
        expect(await submit(submission)).toMatchObject({ kind: 'rejected', failure: { reason: 'quote_expired' } });
        world.advance(settledAfterSeconds);
        expect(await holdings()).toMatchObject({ [usdc]: '250000000' });
      });

      it('a provider that is away says so to everyone, and takes nothing', async () => {
        const submission = await plan(withdraw('1000000'));
        await world.setFaults({ down: true });
        for (const call of [
          world.provider.connect(wallet),
          world.provider.holdings(wallet),
          world.provider.findToken({ tokenId: usdc }),
          world.provider.plan(withdraw('1')),
          submit(submission),
          settlement(submission),
        ]) {
          await expect(call).rejects.toMatchObject(providerAway);
        }
        await world.setFaults({ down: false });
        expect(await settlement(submission)).toEqual({ kind: 'never_accepted' });
        expect(await holdings()).toMatchObject({ [usdc]: '250000000' });
      });

      it('a rejected session stops everything until it is connected again; what was taken settles all the same', async () => {
        if (!world.hasSessions) return;
        const [taken, planned] = [await plan(withdraw('1000000')), await plan(withdraw('2000000'))];
        await submit(taken);
        await world.setFaults({ sessionRejected: true });
        for (const call of [
          world.provider.holdings(wallet),
          world.provider.plan(withdraw('1')),
          submit(planned),
          settlement(taken),
        ]) {
          await expect(call).rejects.toBeInstanceOf(SessionRejected);
        }
        await world.provider.connect(wallet);
        world.advance(settledAfterSeconds);
        expect(await settlement(taken)).toMatchObject({ kind: 'settled' });
        expect(await settlement(planned)).toEqual({ kind: 'never_accepted' });
        expect(await holdings()).toMatchObject({ [usdc]: '249000000' });
        await world.setFaults({ sessionRejected: true });
        await expect(world.provider.holdings(wallet)).rejects.toBeInstanceOf(SessionRejected);
      });

      it('no wallet reads or spends what is another’s', async () => {
        const stranger = world.newWallet();
        await world.provider.connect(stranger);
        const submission = await plan(withdraw('1000000'));
        const theft = { ...submission, key: `${randomUUID()}/0/1` };
        const answers = [submission, theft].map((sent) => world.provider.submit(stranger, sent).catch(() => null));
        for (const answer of await Promise.all(answers)) expect(answer?.kind).not.toBe('accepted');
        const asStranger = { ...wallet, userId: stranger.userId, walletId: asId<typeof wallet.walletId>(randomUUID()) };
        const planned = await world.provider.plan({ ...withdraw('1'), wallet: asStranger }).catch(() => null);
        if (planned?.ok) expect(await submit(planned.submission)).not.toMatchObject({ kind: 'accepted' });
        world.advance(settledAfterSeconds);
        expect(await holdings()).toMatchObject({ [usdc]: '250000000' });
        expect(await holdings(stranger)).toMatchObject({ [usdc]: '250000000' });
      });
    });
  });
}
