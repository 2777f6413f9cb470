import { compareDecimals, decimalOf, floorQuotient, multiply, type Decimal } from '@app/kernel';

/** One side of a swap. */
export interface QuotedToken {
  readonly decimals: number;
  /** In dollars, positive. */
  readonly price: Decimal;
}

/** How far the market may move against an order before it is refused, in millionths. */
const slippagePpm = 10_000n;
const million = 1_000_000n;

/** The amount that the market delivers for an input, in the output's smallest unit; rounded down. */
export function outputFor(inputRaw: bigint, input: QuotedToken, output: QuotedToken): bigint {
  return floorQuotient(scaleTo(output.decimals, valueOf(inputRaw, input)), output.price);
}

/** The least input for which the market delivers this much output. */
export function inputFor(outputRaw: bigint, input: QuotedToken, output: QuotedToken): bigint {
  const dividend = scaleTo(input.decimals, valueOf(outputRaw, output));
  const floor = floorQuotient(dividend, input.price);
  const exact = compareDecimals(multiply(decimalOf(floor, 0), input.price), dividend) === 0;
  return exact ? floor : floor + 1n;
}

/** Whether a quote still holds, given that the market would now deliver `nowRaw`. */
export function stillHolds(quotedRaw: bigint, nowRaw: bigint): boolean {
  return nowRaw * million >= quotedRaw * (million - slippagePpm);
}

function valueOf(amountRaw: bigint, { decimals, price }: QuotedToken): Decimal {
  return multiply(decimalOf(amountRaw, decimals), price);
}

function scaleTo(decimals: number, value: Decimal): Decimal {
  return multiply(value, decimalOf(10n ** BigInt(decimals), 0));
}
