import { instantOf } from '@app/kernel';
import { submitFaults, type SubmitFault } from '@app/sandbox';
import type { Order, Submission, WalletAccount } from '@app/wallets';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { seededRandom } from '@app/testing/journeys';
import { newMainAccount, usdc, wNear } from './harness';
import { startSandboxProvider } from './sandbox-provider';

type World = Awaited<ReturnType<typeof startSandboxProvider>>;

let world: World;
beforeAll(async () => (world = await startSandboxProvider()));
afterEach(() => world.audit());
afterAll(() => world.stop());

function withdrawal(wallet: WalletAccount, amountRaw: string, mainAccountId = newMainAccount()): Order {
  return {
    wallet,
    key: `${randomUUID()}/0/1`,
    attempt: 1,
    order: { kind: 'withdraw', input: { tokenId: usdc, amountRaw }, mainAccountId },
    latestDeadline: instantOf(Date.parse(world.now()) + 900_000),
  };
}

async function planned(order: Order): Promise<Submission> {
  const plan = await world.provider.plan(order);
  if (!plan.ok) throw new Error(plan.failure.text);
  return plan.submission;
}

async function connected(): Promise<WalletAccount> {
  const wallet = world.newWallet();
  await world.provider.connect(wallet);
  return wallet;
}

describe('the ledger', () => {
  it('is right after random work of many wallets at once, under changing faults', async () => {
    const random = seededRandom(20_261_121);
    const wallets = await Promise.all(Array.from({ length: 4 }, connected));
    const sent: { wallet: WalletAccount; submission: Submission }[] = [];
    const pick = <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(random() * items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    };
    const amount = (): string => String(1 + Math.floor(random() * 90_000_000));
    const order = (wallet: WalletAccount): Order['order'] =>
      random() < 0.5
        ? withdrawal(wallet, amount()).order
        : { kind: 'swap_exact_input', input: { tokenId: usdc, amountRaw: amount() }, outputTokenId: wNear };
    const step = async (wallet: WalletAccount): Promise<void> => {
      const what = random();
      if (what < 0.5) {
        const plan = await world.provider.plan({ ...withdrawal(wallet, '1'), order: order(wallet) });
        if (plan.ok) sent.push({ wallet, submission: plan.submission });
      } else if (what < 0.9 && sent.length > 0) {
        const { wallet: owner, submission } = pick(sent);
        if (random() < 0.7) await world.provider.submit(owner, submission);
        else await world.provider.settlement(owner, submission);
      } else if (what < 0.95) {
        await world.fund(wallet, { tokenId: usdc, amountRaw: amount() });
      } else {
        await world.provider.holdings(wallet);
      }
    };
    for (let round = 0; round < 60; round += 1) {
      await world.setFaults({ submit: pick<SubmitFault>(submitFaults), settleAfterSeconds: Math.floor(random() * 5) });
      // Calls that a fault interrupts are the subject of this test; the audit shows whether they did any harm.
      await Promise.allSettled(Array.from({ length: 8 }, () => step(pick(wallets))));
      world.advance(Math.floor(random() * 3));
    }
    await world.setFaults({ submit: 'ok', settleAfterSeconds: 2 });
    world.advance(10);
    for (const wallet of wallets) await world.provider.holdings(wallet);
    const counts = await world.ledger.database.query<{ status: string; orders: number; unsettled: string }>(
      `SELECT status, count(*)::int AS orders FROM sandbox_orders GROUP BY status ORDER BY status`,
    );
    expect(counts.map(({ status }) => status)).toEqual(['refunded', 'rejected', 'settled']);
    const inTransit = await world.ledger.database.query<object>(
      `SELECT * FROM ledger_balances WHERE account LIKE 'transit:%' AND amount <> 0`,
    );
    expect(inTransit).toEqual([]);
  });

  it('takes an order until its deadline, and settles it at its instant, to the millisecond', async () => {
    const wallet = await connected();
    const [last, late] = [await planned(withdrawal(wallet, '1')), await planned(withdrawal(wallet, '1'))];
    world.ledger.clock.nowMs = Date.parse(last.deadline) - 1;
    const taken = await world.provider.submit(wallet, last);
    const settlesAt = instantOf(Date.parse(last.deadline) + 1_999);
    expect(taken).toMatchObject({ kind: 'accepted', checkAt: settlesAt });
    world.advance(0.001);
    expect(await world.provider.submit(wallet, late)).toMatchObject({ kind: 'rejected' });
    expect(await world.provider.settlement(wallet, late)).toEqual({ kind: 'never_accepted', isFinal: true });
    world.ledger.clock.nowMs = Date.parse(settlesAt) - 1;
    expect(await world.provider.settlement(wallet, last)).toMatchObject({ kind: 'pending', checkAt: settlesAt });
    world.advance(0.001);
    expect(await world.provider.settlement(wallet, last)).toMatchObject({ kind: 'settled' });
  });

  it('settles an order once, however many look at it at its instant', async () => {
    const wallet = await connected();
    const owner = newMainAccount();
    const submission = await planned(withdrawal(wallet, '7000000', owner));
    await world.provider.submit(wallet, submission);
    world.advance(2);
    const looks = Array.from({ length: 20 }, () => world.provider.settlement(wallet, submission));
    expect(new Set((await Promise.all(looks)).map(({ kind }) => kind))).toEqual(new Set(['settled']));
    expect(await world.received(owner, usdc)).toBe(7_000_000n);
  });

  it('never takes what it has called never accepted after its deadline, however the two race', async () => {
    const wallet = await connected();
    for (let round = 0; round < 30; round += 1) {
      const owner = newMainAccount();
      const submission = await planned(withdrawal(wallet, '1000', owner));
      const before = world.ledger.clock.nowMs;
      const sent = world.provider.submit(wallet, submission);
      // Other calls see the deadline pass while the submission is in flight.
      if (round % 3 > 0) await new Promise((resolve) => setTimeout(resolve, round % 7));
      world.advance(900);
      const seen = await world.provider.settlement(wallet, submission);
      const taken = await sent;
      world.ledger.clock.nowMs = before + 900_000;
      const later = await world.provider.settlement(wallet, submission);
      expect(seen.kind === 'never_accepted').toBe(taken.kind === 'rejected');
      expect(later.kind).toBe(seen.kind === 'never_accepted' ? 'never_accepted' : 'settled');
      expect(await world.received(owner, usdc)).toBe(taken.kind === 'rejected' ? 0n : 1_000n);
    }
  });

  it('refuses a swap once the market has moved against its quote by more than a hundredth', async () => {
    const wallet = await connected();
    const swap = async (): Promise<Submission> =>
      planned({
        ...withdrawal(wallet, '1'),
        order: { kind: 'swap_exact_input', input: { tokenId: usdc, amountRaw: '1000000' }, outputTokenId: wNear },
      });
    await world.pinPrice(wNear, '2');
    const [one, other] = [await swap(), await swap()];
    await world.pinPrice(wNear, '2.02');
    expect(await world.provider.submit(wallet, one)).toMatchObject({ kind: 'accepted' });
    await world.pinPrice(wNear, '2.03');
    const refusal = { kind: 'rejected', failure: { reason: 'quote_expired' } };
    expect(await world.provider.submit(wallet, other)).toMatchObject(refusal);
    await world.pinPrice(wNear, null);
  });

  it('tells of each settlement, twice if asked to', async () => {
    const { database } = world.ledger;
    const listener = new Client({ connectionString: database.url });
    await listener.connect();
    const told: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => told.push(payload));
    await listener.query('LISTEN parley_settlements');
    const wallet = await connected();
    const settled = async (twice: boolean): Promise<string> => {
      await world.ledger.faults.change({ duplicateCallbacks: twice });
      const submission = await planned(withdrawal(wallet, '1'));
      await world.provider.submit(wallet, submission);
      world.advance(2);
      await world.provider.holdings(wallet);
      await world.provider.holdings(wallet);
      return submission.key;
    };
    const [once, twice] = [await settled(false), await settled(true)];
    await listener.query('SELECT 1');
    expect(told).toEqual([once, twice, twice]);
    await listener.end();
  });
});
