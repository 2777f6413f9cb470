import type { Decimal } from '@app/kernel';
import type { ModelPrice } from '@app/runtime';
import type { TokenUsage } from './provider';

/** Bytes of UTF-8 per token; models count differently, and this errs on the side of more tokens. */
export const bytesPerToken = 3;

/** Estimates how many tokens so many bytes are. */
export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** A million tokens at one dollar are a hundred million micro-cents: one token is a hundred. */
const microCentsPerTokenAtOneUsd = 100n;

/**
 * What a step costs, in micro-cents, rounded up; exact before that. With at most 10,000,000 tokens and the prices that configuration
 * allows it is a safe integer.
 */
export function stepCost(price: ModelPrice, usage: TokenUsage): number {
  const { inputUsdPerMillion: input, cachedInputUsdPerMillion: cached, cacheWriteUsdPerMillion: write } = price;
  const { inputTokens, cachedInputTokens, cacheWriteTokens } = usage;
  const { outputUsdPerMillion: output } = price;
  const scale = Math.max(input.scale, cached.scale, write.scale, output.scale);
  const dollars =
    scaleTo(input, scale) * BigInt(inputTokens - cachedInputTokens - cacheWriteTokens) +
    scaleTo(cached, scale) * BigInt(cachedInputTokens) +
    scaleTo(write, scale) * BigInt(cacheWriteTokens) +
    scaleTo(output, scale) * BigInt(usage.outputTokens);
  const divisor = 10n ** BigInt(scale);
  // Reason for Number: costs are counted in safe integers, and this is one.
  return Number((dollars * microCentsPerTokenAtOneUsd + divisor - 1n) / divisor);
}

/** The number's digits at a scale at least as large as its own. */
function scaleTo({ unscaled, scale }: Decimal, wanted: number): bigint {
  return unscaled * 10n ** BigInt(wanted - scale);
}
