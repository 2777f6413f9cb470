import { byRichness, scaledAmount, unscaledAmount, valueUsdCents } from './amounts';
import type { Quantity } from './contract';
import { inputAmount } from './quantities';

const CASES = process.env['FIGURES'] === 'full' ? 100_000 : 10_000;
const seed = 20_260_301;

/** A number as a fraction of whole numbers, read digit by digit: shares no code with the product. */
interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

function ratioOf(text: string): Ratio {
  let over = 0n;
  let under = 1n;
  let behindPoint = false;
  for (const character of text) {
    if (character === '.') behindPoint = true;
    else {
      over = over * 10n + BigInt(character);
      if (behindPoint) under *= 10n;
    }
  }
  return { over, under };
}

const times = (one: Ratio, other: Ratio): Ratio => ({ over: one.over * other.over, under: one.under * other.under });
const atMost = (one: Ratio, other: Ratio): boolean => one.over * other.under <= other.over * one.under;
const whole = (number: bigint): Ratio => ({ over: number, under: 1n });
/** One unit in the last place of a token. */
const unitOf = (decimals: number): Ratio => ({ over: 1n, under: BigInt(`1${'0'.repeat(decimals)}`) });

/** Marsaglia's xorshift with 32 bits: the same cases every time. */
function randomNumbers(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const below = randomNumbers(seed);
const digits = (count: number): string => Array.from({ length: count }, () => String(below(10))).join('');
const number = (digitsMax: number): string => BigInt(digits(1 + below(digitsMax))).toString();
const oneOf = <Item>(...items: readonly Item[]): Item => items[below(items.length)]!;

interface Case {
  readonly tokenId: string;
  readonly amountRaw: string;
  readonly decimals: number;
  readonly priceUsdDecimal: string;
  /** The amount in the smallest unit, and the price of a whole token. */
  readonly units: Ratio;
  readonly price: Ratio;
}

const anyCase = (): Case => {
  const amountRaw = number(39);
  const priceUsdDecimal = number(12) + oneOf('', `.${digits(1 + below(30))}`);
  const read = { units: ratioOf(amountRaw), price: ratioOf(priceUsdDecimal) };
  return { tokenId: oneOf('nep141:a', 'nep141:b'), amountRaw, decimals: below(39), priceUsdDecimal, ...read };
};
const anyQuantity = (): Quantity =>
  oneOf<() => Quantity>(
    () => ({ kind: 'exact_input_tokens', amountRaw: number(39) }),
    () => ({ kind: 'exact_input_value_usd', value: number(39) + oneOf('', `.${digits(1 + below(18))}`) }),
    () => ({ kind: 'exact_input_value_usd', value: `${number(3)}.${digits(1 + below(18))}` }),
    () => ({ kind: 'all_of_input' }),
    () => ({ kind: 'fraction_of_input', bps: String(1 + below(10_000)) }),
  )();

/** Whether `units` of the smallest unit are the largest number within the limit. */
const isMost = (units: bigint, unit: Ratio, limit: Ratio): boolean =>
  atMost(times(whole(units), unit), limit) && !atMost(times(whole(units + 1n), unit), limit);

/**
 * The exact limit of the amount that a quantity may take, in whole units of the token, including fractions of units.
 */
function limitOf(quantity: Quantity, held: Case): Ratio {
  const { units: all, price } = held;
  if (quantity.kind === 'exact_input_tokens') return ratioOf(quantity.amountRaw);
  if (quantity.kind === 'fraction_of_input') return times(all, { over: ratioOf(quantity.bps).over, under: 10_000n });
  if (quantity.kind !== 'exact_input_value_usd') return all;
  const tokens = times(ratioOf(quantity.value), { over: price.under, under: price.over });
  return times(tokens, { over: unitOf(held.decimals).under, under: 1n });
}

function spendsAsTheOracle(quantity: Quantity, held: Case): boolean {
  const taken = inputAmount(quantity, held);
  const free = quantity.kind === 'exact_input_value_usd' && held.price.over === 0n;
  if (free) return !taken.ok && taken.why === 'no_price';
  const limit = limitOf(quantity, held);
  if (taken.ok) {
    const units = ratioOf(taken.amountRaw).over;
    return units > 0n && atMost(whole(units), held.units) && isMost(units, whole(1n), limit);
  }
  if (taken.why === 'nothing') return !atMost(whole(1n), limit);
  return taken.why === 'more_than_held' && atMost(whole(held.units.over + 1n), limit);
}

const valueOf = ({ units, decimals, price }: Case): Ratio => times(times(units, unitOf(decimals)), price);

function isWorthAsTheOracle(held: Case): boolean {
  const value = valueOf(held);
  return isMost(ratioOf(valueUsdCents(held)!).over, { over: 1n, under: 100n }, value);
}

function isSpelledAsTheOracle({ amountRaw, decimals, units }: Case): boolean {
  const text = unscaledAmount(amountRaw, decimals);
  const [one, other] = [ratioOf(text), times(units, unitOf(decimals))];
  return atMost(one, other) && atMost(other, one) && scaledAmount(text, decimals) === amountRaw;
}

function isOrderedAsTheOracle(one: Case, other: Case): boolean {
  const [first, second] = [one, other].map((held) => valueOf(held));
  const order = byRichness(one, other);
  if (!atMost(first!, second!)) return order < 0;
  if (!atMost(second!, first!)) return order > 0;
  return Math.sign(order) === (one.tokenId === other.tokenId ? 0 : one.tokenId < other.tokenId ? -1 : 1);
}

it(`computes ${CASES} amounts as exact fractions do, and never a unit too much`, () => {
  const wrong: unknown[] = [];
  for (let index = 0; index < CASES; index += 1) {
    const held = anyCase();
    const quantity = anyQuantity();
    const other = { ...held, ...oneOf<Partial<Case>>(anyCase(), { tokenId: 'nep141:b' }) };
    const right = [
      spendsAsTheOracle(quantity, held),
      isWorthAsTheOracle(held),
      isSpelledAsTheOracle(held),
      isOrderedAsTheOracle(held, other),
    ];
    if (right.includes(false)) wrong.push({ held, quantity, other, right });
  }
  process.stdout.write(`money arithmetic: ${CASES} cases against exact fractions, ${wrong.length} wrong\n`);
  expect(wrong.slice(0, 5)).toEqual([]);
});
