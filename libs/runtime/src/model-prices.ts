import { isJsonObject, parseDecimal, type Decimal } from '@app/kernel';

/** What a model's tokens cost, in USD per million, exactly. */
export interface ModelPrice {
  readonly inputUsdPerMillion: Decimal;
  /** Of input that the provider's cache held. */
  readonly cachedInputUsdPerMillion: Decimal;
  readonly outputUsdPerMillion: Decimal;
}

export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** Six digits of dollars and twelve decimals: far beyond any price, and within what costs are counted in. */
const priceText = /^\d{1,6}(\.\d{1,12})?$/;
const memberNames: readonly string[] = ['inputUsdPerMillion', 'cachedInputUsdPerMillion', 'outputUsdPerMillion'];

/**
 * Reads `{model: {inputUsdPerMillion, cachedInputUsdPerMillion, outputUsdPerMillion}}`, decimal strings; cached input costs as much
 * as any where no price of its own is given. Null for anything else.
 */
export function parseModelPrices(text: string): ModelPrices | null {
  const listed = parsed(text);
  if (!isJsonObject(listed)) return null;
  const prices = Object.entries(listed).map(([model, members]) => [model, priceOf(members)] as const);
  if (prices.some(([, price]) => price === null)) return null;
  return Object.fromEntries(prices.flatMap(([model, price]) => (price === null ? [] : [[model, price]])));
}

function priceOf(members: unknown): ModelPrice | null {
  if (!isJsonObject(members) || !Object.keys(members).every((name) => memberNames.includes(name))) return null;
  const { inputUsdPerMillion: input, cachedInputUsdPerMillion: cached = input, outputUsdPerMillion: output } = members;
  const [inputUsdPerMillion, cachedInputUsdPerMillion, outputUsdPerMillion] = [usd(input), usd(cached), usd(output)];
  return inputUsdPerMillion === null || cachedInputUsdPerMillion === null || outputUsdPerMillion === null
    ? null
    : { inputUsdPerMillion, cachedInputUsdPerMillion, outputUsdPerMillion };
}

function usd(text: unknown): Decimal | null {
  return typeof text === 'string' && priceText.test(text) ? parseDecimal(text) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON is no table of prices, which the caller says.
    return null;
  }
}
