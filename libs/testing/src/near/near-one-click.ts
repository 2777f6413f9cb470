import { instantOf } from '@app/kernel';
import { planOrder } from '@app/sandbox';
import type { TokenAmount } from '@app/wallets';
import { randomBytes } from 'node:crypto';
import { orderByNow, type Books } from './near-books';
import { offered, orderOf, type QuoteRequest, type WireQuote } from './near-quotes';

interface Offered {
  readonly input: TokenAmount;
  readonly output: TokenAmount;
  /** Key of the order that paid for it, once there is one. */
  orderKey: string | null;
}

const quoteTtlMs = 120_000;
/** Members that every swap's details have. */
const nothingYet = { intentHashes: [], nearTxHashes: [], originChainTxHashes: [], destinationChainTxHashes: [] };
const unlimited = { get: () => 10n ** 39n } as unknown as ReadonlyMap<string, bigint>;

/**
 * 1Click's book: its offers, and the outcome of each deposit.
 *
 * Source: docs.near-intents.org, "1Click API", "Swap Statuses".
 */
export class OneClickBook {
  /** By deposit address. */
  private readonly offers = new Map<string, Offered>();

  constructor(private readonly books: Books) {}

  /** Returns an offer with its deposit address, or null if the market makes none. */
  async quote(request: QuoteRequest): Promise<WireQuote | null> {
    const { tokens } = await this.books.market.look();
    const terms = planOrder(orderOf(request), tokens, unlimited);
    if ('failure' in terms || terms.target.kind === 'withdraw') return null;
    const offer = { input: terms.input, output: terms.target.output, orderKey: null };
    const depositAddress = randomBytes(32).toString('hex');
    this.offers.set(depositAddress, offer);
    return offered(request, offer, depositAddress, instantOf(this.books.clock.nowMs + quoteTtlMs));
  }

  /** Returns the message that 1Click asks a wallet to sign to pay for a quote; null for a quote that it never made. */
  intentFor({ depositAddress, signerId }: Readonly<Record<string, unknown>>): object | null {
    const input = this.offers.get(String(depositAddress))?.input;
    if (input === undefined) return null;
    const tokens = { [input.tokenId]: input.amountRaw };
    const intents = [{ intent: 'transfer', receiver_id: depositAddress, tokens }];
    const deadline = instantOf(this.books.clock.nowMs + quoteTtlMs);
    const message = JSON.stringify({ signer_id: signerId, deadline, intents });
    const nonce = randomBytes(32).toString('base64');
    return { standard: 'nep413', payload: { message, nonce, recipient: 'intents.near' } };
  }

  async swap(depositAddress: string): Promise<{ readonly status: string; readonly swapDetails: object } | null> {
    const offer = this.offers.get(depositAddress);
    if (offer === undefined) return null;
    const state = offer.orderKey === null ? null : await orderByNow(this.books, offer.orderKey);
    if (state === null) return { status: 'PENDING_DEPOSIT', swapDetails: nothingYet };
    switch (state.status) {
      case 'accepted':
        return state.hidden ? null : { status: 'PROCESSING', swapDetails: nothingYet };
      case 'settled':
      case 'refunded': {
        const amounts = {
          depositedAmount: offer.input.amountRaw,
          amountOut: state.output?.amountRaw ?? '0',
          refundedAmount: state.returned?.amountRaw ?? '0',
        };
        const status = state.status === 'settled' ? 'SUCCESS' : 'REFUNDED';
        return { status, swapDetails: { ...nothingYet, ...amounts } };
      }
      case 'rejected':
      case 'never_accepted':
        return { status: 'PENDING_DEPOSIT', swapDetails: nothingYet };
    }
  }

  /** Returns the amount that is delivered for a deposit at the address; null for an address that 1Click never named. */
  outputFor(depositAddress: string): TokenAmount | null {
    return this.offers.get(depositAddress)?.output ?? null;
  }

  /** Records that the order has paid at the address. No effect for an address that is not 1Click's. */
  notePaid(depositAddress: string, orderKey: string): void {
    const offer = this.offers.get(depositAddress);
    if (offer !== undefined) offer.orderKey = orderKey;
  }

  /** Whether the order paid for an offer. */
  isSwap(orderKey: string): boolean {
    return [...this.offers.values()].some((offer) => offer.orderKey === orderKey);
  }
}
