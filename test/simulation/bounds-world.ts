import { instantOf, type Instant } from '@app/kernel';
import type { Holding, Order, Submission, Token, TokenAmount } from '@app/wallets';
import { seededRandom } from '@app/testing/journeys';

/** The prices of whole tokens in cents at an instant; null if a token has none. */
export interface Market {
  readonly at: Instant;
  readonly cents: ReadonlyMap<string, bigint | null>;
}

/** A submission that the provider has executed, once. */
export interface Effect {
  readonly submission: Submission;
  /** The market for which the amount was chosen. */
  readonly chosen: Market | null;
  readonly settlesAtMs: number;
  end: 'settled' | 'refunded' | null;
  output: TokenAmount | null;
  returned: TokenAmount | null;
  /** The amount of the input that was returned, whether or not the provider names it. */
  back: bigint;
}

export const tokens = ['nep141:a', 'nep141:b', 'nep141:c'] as const;
const decimalsOf: ReadonlyMap<string, number> = new Map([
  ['nep141:a', 6],
  ['nep141:b', 24],
  ['nep141:c', 8],
]);

/** One wallet, its market, and the provider's books. Everything random follows from the seed. */
export class BoundsWorld {
  nowMs = Date.parse('2026-03-01T10:00:00Z');
  readonly random: () => number;
  readonly effects = new Map<string, Effect>();
  readonly counts = { deposits: 0, priceMoves: 0, refunds: 0, partsReturned: 0 };
  private readonly balances = new Map<string, bigint>();
  private readonly cents = new Map<string, bigint | null>();
  private readonly markets: (Market | null)[] = [];

  /** @param taken called with each effect before it is in the books */
  constructor(
    seed: number,
    private readonly taken: (effect: Effect) => void,
  ) {
    this.random = seededRandom(seed);
    for (const tokenId of tokens) {
      this.cents.set(tokenId, BigInt(50 + this.upTo(1_000)));
      if (this.random() < 0.8) this.deposit(tokenId);
    }
  }

  upTo(count: number): number {
    return Math.floor(this.random() * count);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.upTo(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  now(): Instant {
    return instantOf(this.nowMs);
  }

  market(): Market {
    return { at: this.now(), cents: new Map(this.cents) };
  }

  /** Stores a market that a driver has seen. Returns its number, which the bytes of the plan contain. */
  keep(market: Market | null): number {
    return this.markets.push(market) - 1;
  }

  /** Deposits an amount between next to nothing and many times the balance. */
  deposit(tokenId: string): void {
    const whole = 10n ** BigInt(decimals(tokenId));
    const amount = (whole * BigInt(1 + this.upTo(4_000))) / BigInt(1 + this.upTo(200)) + BigInt(this.upTo(7));
    this.balances.set(tokenId, (this.balances.get(tokenId) ?? 0n) + amount);
    this.counts.deposits += 1;
  }

  movePrice(tokenId: string): void {
    this.counts.priceMoves += 1;
    const before = this.cents.get(tokenId) ?? BigInt(50 + this.upTo(1_000));
    const moved = (before * BigInt(50 + this.upTo(130))) / 100n;
    this.cents.set(tokenId, this.random() < 0.06 ? null : moved + 1n);
  }

  token(tokenId: string): Token {
    const cents = this.cents.get(tokenId) ?? null;
    const priceUsdDecimal =
      cents === null ? null : `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0').replace(/0$/, '')}`;
    return { tokenId, symbol: tokenId, name: tokenId, decimals: decimals(tokenId), priceUsdDecimal, iconUrl: null };
  }

  holdings(): readonly Holding[] {
    return tokens.flatMap((tokenId) => {
      const amount = this.balances.get(tokenId) ?? 0n;
      return amount === 0n ? [] : [{ ...this.token(tokenId), amountRaw: amount.toString() }];
    });
  }

  /** The output of a swap for an amount: a little less than its worth. A token without a price counts as one dollar. */
  bought({ tokenId, amountRaw }: TokenAmount, outputTokenId: string): TokenAmount {
    const [paid, got] = [this.cents.get(tokenId) ?? 100n, this.cents.get(outputTokenId) ?? 100n];
    const units = (BigInt(amountRaw) * paid * 10n ** BigInt(decimals(outputTokenId)) * 99n) / 100n;
    const output = units / got / 10n ** BigInt(decimals(tokenId));
    return { tokenId: outputTokenId, amountRaw: output.toString() };
  }

  /** The input that an exact output costs. Null if that exceeds the maximum of the order. */
  priced(order: Extract<Order['order'], { readonly kind: 'swap_exact_output' }>): TokenAmount | null {
    const { output, inputTokenId, inputMaxRaw } = order;
    const [paid, got] = [this.cents.get(inputTokenId) ?? 100n, this.cents.get(output.tokenId) ?? 100n];
    const worth = BigInt(output.amountRaw) * got * 10n ** BigInt(decimals(inputTokenId));
    const amount = worth / paid / 10n ** BigInt(decimals(output.tokenId)) + 1n;
    return amount > BigInt(inputMaxRaw) ? null : { tokenId: inputTokenId, amountRaw: amount.toString() };
  }

  /**
   * Executes a submission once, however often it is sent. Null if the wallet does not hold enough or the deadline has
   * passed.
   */
  take(submission: Submission): Effect | null {
    const { key, input, bytes } = submission;
    const before = this.effects.get(key);
    if (before !== undefined) return before;
    const balance = this.balances.get(input.tokenId) ?? 0n;
    if (BigInt(input.amountRaw) > balance || this.now() >= submission.deadline) return null;
    const chosen = this.markets[Number(bytes.split('@')[1])] ?? null;
    const settlesAtMs = this.nowMs + this.upTo(60_000);
    const effect: Effect = { submission, chosen, settlesAtMs, end: null, output: null, returned: null, back: 0n };
    this.taken(effect);
    this.effects.set(key, effect);
    this.balances.set(input.tokenId, balance - BigInt(input.amountRaw));
    return effect;
  }

  /** Settles the effects that are due. Some return all of the input or a part of it. */
  settle(): void {
    for (const effect of this.effects.values()) {
      if (effect.end !== null || effect.settlesAtMs > this.nowMs) continue;
      const { input, output } = effect.submission;
      const refunds = this.random() < 0.1;
      const part = refunds || this.random() < 0.2 ? BigInt(this.upTo(101)) : 0n;
      const sent = BigInt(input.amountRaw);
      // A refund of the whole input may name no amount.
      const isWhole = refunds && (part === 0n || this.random() < 0.5);
      effect.back = isWhole ? sent : (sent * part) / 100n;
      const isNamed = effect.back > 0n && !(isWhole && this.random() < 0.5);
      effect.end = refunds ? 'refunded' : 'settled';
      effect.returned = isNamed ? { tokenId: input.tokenId, amountRaw: effect.back.toString() } : null;
      effect.output = refunds ? null : output;
      this.counts[refunds ? 'refunds' : 'partsReturned'] += Number(effect.back > 0n);
      this.credit({ tokenId: input.tokenId, amountRaw: effect.back.toString() });
      this.credit(effect.output);
    }
  }

  private credit(amount: TokenAmount | null): void {
    if (amount === null) return;
    this.balances.set(amount.tokenId, (this.balances.get(amount.tokenId) ?? 0n) + BigInt(amount.amountRaw));
  }
}

export function decimals(tokenId: string): number {
  const found = decimalsOf.get(tokenId);
  if (found === undefined) throw new Error(`there is no token ${tokenId}`);
  return found;
}
