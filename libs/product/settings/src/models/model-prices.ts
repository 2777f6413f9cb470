import { isJsonObject, parseDecimal, type Decimal } from '@app/kernel';
import { parsedJson } from '../parsed-json';

/** The prices of a model's tokens, in USD per million, exactly. */
export interface ModelPrice {
  readonly inputUsdPerMillion: Decimal;
  /** The price of input that the provider's cache held. */
  readonly cachedInputUsdPerMillion: Decimal;
  /** The price of input that the provider put into its cache. */
  readonly cacheWriteUsdPerMillion: Decimal;
  readonly outputUsdPerMillion: Decimal;
}

export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** Six digits of dollars and twelve decimals: far beyond any price, and within the precision of costs. */
const priceText = /^\d{1,6}(\.\d{1,12})?$/;
const memberNames: readonly string[] = [
  'inputUsdPerMillion',
  'cachedInputUsdPerMillion',
  'cacheWriteUsdPerMillion',
  'outputUsdPerMillion',
];

/**
 * Parses `{model: {inputUsdPerMillion, cachedInputUsdPerMillion, cacheWriteUsdPerMillion, outputUsdPerMillion}}`, decimal strings. Without
 * prices of their own, cached input costs as much as any, and input that is put into the cache a quarter more, as Anthropic charges it
 * (docs/configuration.md). Null for anything else.
 */
export function parseModelPrices(text: string): ModelPrices | null {
  const listed = parsedJson(text);
  if (!isJsonObject(listed)) return null;
  const prices = Object.entries(listed).map(([model, members]) => [model, priceOf(members)] as const);
  if (prices.some(([, price]) => price === null)) return null;
  return Object.fromEntries(prices.flatMap(([model, price]) => (price === null ? [] : [[model, price]])));
}

function priceOf(members: unknown): ModelPrice | null {
  if (!isJsonObject(members) || !Object.keys(members).every((name) => memberNames.includes(name))) return null;
  const {
    inputUsdPerMillion: input,
    cachedInputUsdPerMillion: cached = input,
    cacheWriteUsdPerMillion: write,
  } = members;
  const inputUsdPerMillion = usd(input);
  const cachedInputUsdPerMillion = usd(cached);
  const outputUsdPerMillion = usd(members['outputUsdPerMillion']);
  if (inputUsdPerMillion === null || cachedInputUsdPerMillion === null || outputUsdPerMillion === null) return null;
  const cacheWriteUsdPerMillion = write === undefined ? andAQuarter(inputUsdPerMillion) : usd(write);
  if (cacheWriteUsdPerMillion === null) return null;
  return { inputUsdPerMillion, cachedInputUsdPerMillion, cacheWriteUsdPerMillion, outputUsdPerMillion };
}

function andAQuarter({ unscaled, scale }: Decimal): Decimal {
  return { unscaled: unscaled * 125n, scale: scale + 2 };
}

function usd(text: unknown): Decimal | null {
  return typeof text === 'string' && priceText.test(text) ? parseDecimal(text) : null;
}
