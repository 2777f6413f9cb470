import type { Decimal } from '@app/kernel';
import type { ModelPrice } from '@app/settings';
import type { TokenUsage } from './provider';

/** Bytes of UTF-8 per token; models count differently, and this errs on the side of more tokens. */
export const bytesPerToken = 3;

/** Estimates the number of tokens in so many bytes. */
export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** A million tokens at one dollar are a hundred million micro-cents: one token is a hundred. */
const microCentsPerTokenAtOneUsd = 100n;

/**
 * The cost of a step in micro-cents, rounded up; exact before that. With at most 10,000,000 tokens and the prices that configuration allows
 * it is a safe integer.
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

/** The highest cost of a step with so many tokens, however much of the input its provider's cache holds, in micro-cents, rounded up. */
export function dearestStepCost(price: ModelPrice, inputTokens: number, outputTokens: number): number {
  const { input, output, divisor } = dearestPrices(price);
  return Number((input * BigInt(inputTokens) + output * BigInt(outputTokens) + divisor - 1n) / divisor);
}

/** The most output tokens with which a step of that input costs at most so many micro-cents; Infinity if output is free. */
export function affordableTokens(price: ModelPrice, inputTokens: number, microCents: number): number {
  const { input, output, divisor } = dearestPrices(price);
  const left = BigInt(microCents) * divisor - input * BigInt(inputTokens);
  if (left < 0n) return 0;
  return output === 0n ? Infinity : Number(left / output);
}

/** Micro-cents per token, as numerators over one divisor. */
function dearestPrices({
  inputUsdPerMillion,
  cachedInputUsdPerMillion,
  cacheWriteUsdPerMillion,
  outputUsdPerMillion,
}: ModelPrice) {
  const ofInput = [inputUsdPerMillion, cachedInputUsdPerMillion, cacheWriteUsdPerMillion];
  const scale = Math.max(...[...ofInput, outputUsdPerMillion].map((price) => price.scale));
  const numerator = (price: Decimal) => scaleTo(price, scale) * microCentsPerTokenAtOneUsd;
  const input = ofInput.map(numerator).reduce((most, price) => (price > most ? price : most));
  return { input, output: numerator(outputUsdPerMillion), divisor: 10n ** BigInt(scale) };
}

/** The number's digits at a scale at least as large as its own. */
function scaleTo({ unscaled, scale }: Decimal, wanted: number): bigint {
  return unscaled * 10n ** BigInt(wanted - scale);
}
