import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, instantOf, Unavailable, type Instant } from '@app/kernel';
import {
  SessionRejected,
  Signer,
  WalletProvider,
  type Holding,
  type OperationFailure,
  type Order,
  type Planned,
  type Settlement,
  type Submission,
  type Submitted,
  type Token,
  type WalletAccount,
} from '@app/wallets';
import { failures } from './failures';
import { LedgerOrders } from './ledger-orders';
import { LedgerWallets } from './ledger-wallets';
import { Market, tokenOf, tokensCalled, type MarketView } from '../prices/market';
import { digestOf, type Handling, type NewOrder, type OrderState } from './order.queries';
import { planOrder, quoteStands, type Terms } from './planning';
import type { ProviderFault } from '../faults/provider-faults';
import { signOrder, verifyOrder } from './signed-order';

/** How long the provider accepts what it planned, by the service clock. */
const orderTtlMs = 120_000;

/**
 * The wallet provider of the sandbox, on the ledger in PostgreSQL, with the faults that are set
 * (docs/decisions/money.md and docs/decisions/sandbox.md).
 */
@Injectable()
export class SandboxLedger extends WalletProvider {
  override readonly name = 'sandbox';

  constructor(
    private readonly market: Market,
    private readonly wallets: LedgerWallets,
    private readonly orders: LedgerOrders,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async connect({ address, userId }: WalletAccount): Promise<void> {
    await asProvider(async () => {
      await this.look();
      await this.wallets.open(address, userId);
    });
  }

  override async hasSession({ address }: WalletAccount): Promise<boolean> {
    return asProvider(async () => {
      await this.look();
      return (await this.wallets.session(address)) === 'good';
    });
  }

  /** Always true, because the ledger creates an account when it is paid to. */
  override isMainAccount(): Promise<boolean> {
    return Promise.resolve(true);
  }

  override async holdings(wallet: WalletAccount): Promise<readonly Holding[]> {
    return asProvider(async () => {
      const { tokens } = await this.enter(wallet);
      const balances = await this.wallets.holdings(wallet.address);
      return tokens.flatMap((token) => {
        const amount = balances.get(token.tokenId);
        return amount === undefined ? [] : [{ ...token, amountRaw: amount.toString() }];
      });
    });
  }

  override async findToken(tokenId: string): Promise<Token | null> {
    return asProvider(async () => tokenOf((await this.look()).tokens, tokenId));
  }

  override async tokensCalled(symbol: string): Promise<readonly Token[]> {
    return asProvider(async () => tokensCalled((await this.look()).tokens, symbol));
  }

  override async plan({ wallet, key, attempt, order, latestDeadline }: Order): Promise<Planned> {
    return asProvider(async () => {
      const { tokens } = await this.enter(wallet);
      const deadline = earlierOf(latestDeadline, instantOf(this.clock.epochMs() + orderTtlMs));
      if (deadline <= this.clock.now()) return { ok: false, failure: failures.too_late };
      const terms = planOrder(order, tokens, await this.wallets.spendable(wallet.address));
      if ('failure' in terms) return { ok: false, failure: terms.failure };
      const text = { key, address: wallet.address, ...terms, deadline };
      const bytes = await signOrder(text, (signed) => this.signer.sign(wallet.userId, signed));
      const output = terms.target.kind === 'swap' ? terms.target.output : null;
      return {
        ok: true,
        submission: { key, attempt, bytes, input: terms.input, output, leastOutput: output, quote: null, deadline },
      };
    });
  }

  override async submit(wallet: WalletAccount, { bytes, key }: Submission): Promise<Submitted> {
    return asProvider(async () => {
      const { faults, tokens } = await this.enter(wallet);
      if (faults.submit === 'timeout_before_accept') throw noAnswer();
      const order = orderIn(bytes, key, wallet);
      if (order === null) return { kind: 'rejected', failure: failures.unsigned };
      const state = await this.orders.submit(order, this.handlingOf(order, faults, tokens));
      if (faults.submit === 'timeout_after_accept' || faults.submit === 'not_found_first') throw noAnswer();
      return toSubmitted(state, bytes);
    });
  }

  override async settlement(wallet: WalletAccount, { bytes, key }: Submission): Promise<Settlement> {
    return asProvider(async () => {
      await this.enter(wallet);
      const order = orderIn(bytes, key, wallet);
      if (order === null) return { kind: 'never_accepted', isFinal: true }; // no signature ever makes it the wallet's
      const overdue = order.deadline <= this.clock.now();
      const state = overdue ? await this.orders.giveUp(order) : await this.orders.find(key);
      return state === null ? { kind: 'never_accepted', isFinal: false } : settlementOf(state, bytes);
    });
  }

  /** Returns the market after settling everything due, for a wallet with a valid session. @throws SessionRejected */
  private async enter({ address }: WalletAccount): Promise<MarketView> {
    const view = await this.look();
    const session = await this.wallets.session(address);
    if (session !== 'good') throw new SessionRejected();
    await this.orders.settleDue(address, { twice: view.faults.duplicateCallbacks });
    return view;
  }

  private async look(): Promise<MarketView> {
    const view = await this.market.look();
    if (view.faults.down) throw noAnswer();
    return view;
  }

  private handlingOf({ input, target }: Terms, faults: ProviderFault, tokens: readonly Token[]): Handling {
    return {
      refusal: refusalBy(faults, target) ?? (quoteStands({ input, target }, tokens) ? null : failures.moved),
      outcome: outcomeBy(faults),
      hidden: faults.submit === 'not_found_first',
      settlesAt: instantOf(this.clock.epochMs() + faults.settleAfterSeconds * 1000),
    };
  }
}

function refusalBy({ submit }: ProviderFault, target: Terms['target']): OperationFailure | null {
  if (submit === 'reject') return failures.refused;
  // A withdrawal has no quote that could move.
  return submit === 'quote_moved' && target.kind === 'swap' ? failures.moved : null;
}

function outcomeBy({ submit }: ProviderFault): Handling['outcome'] {
  if (submit === 'refund') return 'refund';
  return submit === 'partial_fill' ? 'partial' : 'deliver';
}

function orderIn(bytes: string, key: string, { address }: WalletAccount): NewOrder | null {
  const order = verifyOrder(bytes, address);
  return order?.key === key ? { ...order, bytes } : null;
}

function toSubmitted(state: OrderState, bytes: string): Submitted {
  if (state.digest !== digestOf(bytes)) return { kind: 'rejected', failure: failures.refused };
  switch (state.status) {
    case 'accepted':
      return { kind: 'accepted', providerReference: state.reference, checkAt: state.settlesAt };
    case 'settled':
    case 'refunded':
      return { kind: 'accepted', providerReference: state.reference, checkAt: null };
    case 'rejected':
      return { kind: 'rejected', failure: state.failure };
    case 'never_accepted':
      return { kind: 'rejected', failure: failures.too_late };
  }
}

function settlementOf(state: OrderState, bytes: string): Settlement {
  // Another order has the same key: the caller is mistaken about what it sent, and must not send again.
  if (state.digest !== digestOf(bytes)) return { kind: 'unknown' };
  switch (state.status) {
    case 'accepted': {
      const pending = { kind: 'pending', providerReference: state.reference, checkAt: state.settlesAt } as const;
      return state.hidden ? { kind: 'unknown' } : pending;
    }
    case 'settled':
    case 'refunded':
      return {
        kind: state.status,
        providerReference: state.reference,
        output: state.output,
        returned: state.returned,
      };
    case 'rejected':
      return { kind: 'failed', failure: state.failure };
    case 'never_accepted':
      return { kind: 'never_accepted', isFinal: true };
  }
}

function earlierOf(one: Instant, other: Instant): Instant {
  return epochMsOf(one) < epochMsOf(other) ? one : other;
}

function noAnswer(cause?: unknown): Unavailable {
  return new Unavailable('wallet provider', { reason: 'provider_unavailable', cause });
}

/** The ledger's database is the provider's own, so the provider is unavailable while the database is. */
async function asProvider<Value>(body: () => Promise<Value>): Promise<Value> {
  try {
    return await body();
  } catch (error) {
    throw error instanceof Unavailable && error.reason === undefined ? noAnswer(error) : error;
  }
}
