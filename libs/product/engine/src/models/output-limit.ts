import type { ModelPrice } from '@app/settings';
import type { Allowance } from './model';
import { affordableTokens, dearestStepCost } from './cost';
import { ProviderTrouble, type OutputRoom } from './provider';

/** If a step could not write so many tokens, more is reserved before it. */
const usefulTokens = 4096;
/** A model is never asked for fewer tokens: they would hardly hold a call of a tool. */
const leastTokens = 256;

/** The limit if MODEL_OUTPUT_TOKENS is unset: providers count a limit against the rate of a key, however short the answer is. */
const usualTokensMax = 32_768;

/** The most tokens that are requested in any case: the configured limit, and the limits that a provider stated in refusals. */
export class OutputCeiling {
  private own = Infinity;
  private contextTokens = Infinity;

  /** @param configured MODEL_OUTPUT_TOKENS */
  constructor(private readonly configured: number | undefined) {}

  /**
   * Infinity if output is free and no limit is known. A prompt is estimated too large rather than too small, so room for an answer is
   * assumed.
   */
  for(promptTokens: number, isFree: boolean): number {
    const configured = this.configured ?? (isFree ? Infinity : usualTokensMax);
    return Math.min(configured, this.own, Math.max(this.contextTokens - promptTokens, usefulTokens));
  }

  /** Remembers the limit that a refusal states for the model. */
  learn({ tokens, contextTokens }: OutputRoom): void {
    if (contextTokens === null) this.own = Math.min(this.own, tokens);
    else this.contextTokens = contextTokens;
  }
}

interface Spending {
  readonly price: ModelPrice;
  readonly allowance: Allowance;
  readonly ceiling: OutputCeiling;
  /** The limit of this question alone, after a refusal; Infinity if none is known. */
  readonly tokensMax: number;
  /** The cost of earlier attempts of the step. */
  readonly paidMicroCents: number;
}

/**
 * The output limit of a request: with the whole prompt at its dearest price and every token of the limit, the step costs at most what is
 * left of the reservation, which is extended if it would not hold a useful answer. Null if output costs nothing and no other limit is
 * known. Throws ProviderTrouble, `out_of_budget`; and Unavailable.
 *
 * Source: docs/decisions/runs.md, "Headroom".
 */
export async function outputLimit(spending: Spending, promptTokens: number): Promise<number | null> {
  const { price, allowance, paidMicroCents } = spending;
  const isFree = price.outputUsdPerMillion.unscaled === 0n;
  const tokensMax = Math.min(spending.tokensMax, spending.ceiling.for(promptTokens, isFree));
  const costOf = (tokens: number) => paidMicroCents + dearestStepCost(price, promptTokens, Math.min(tokens, tokensMax));
  const least = costOf(leastTokens);
  const left = await allowance.cover({ least, wanted: costOf(usefulTokens) });
  if (left === null || left < least)
    throw new ProviderTrouble('out_of_budget', `no room for ${least} micro-cents of the least answer`, false);
  const limit = Math.min(affordableTokens(price, promptTokens, left - paidMicroCents), tokensMax);
  return limit === Infinity ? null : limit;
}
