import { isJsonObject, parsedJson, parseDecimal, type Decimal } from '@app/kernel';
import { httpUrl, positiveInteger, Rule, trueOrFalse, wholeNumber } from '@app/runtime';
import { makeValidator, str } from 'envalid';
import { modelFallbacks } from './model-fallbacks';

/** The prices of a model's tokens, in USD per million, exactly. */
export interface ModelPrice {
  readonly inputUsdPerMillion: Decimal;
  /** The price of input that the provider's cache held. */
  readonly cachedInputUsdPerMillion: Decimal;
  /** The price of input that the provider put into its cache. */
  readonly cacheWriteUsdPerMillion: Decimal;
  readonly outputUsdPerMillion: Decimal;
}

type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** Six digits of dollars and twelve decimals: far beyond any price, and within the precision of costs. */
const priceText = /^\d{1,6}(\.\d{1,12})?$/;
const memberNames: readonly string[] = [
  'inputUsdPerMillion',
  'cachedInputUsdPerMillion',
  'cacheWriteUsdPerMillion',
  'outputUsdPerMillion',
];

/** A provider's name of a model, as an item of a list: no spaces, no commas. */
const modelNamePattern = /^[\x21-\x2b\x2d-\x7e]{1,128}$/;
const modelsMax = 64;

const modelName = makeValidator<string>((text) => {
  if (!isModelName(text)) throw new Rule('must be 1 to 128 visible characters without a comma, and not parley/rules');
  return text;
});

const modelNames = makeValidator<readonly string[]>((text) => {
  const names = text.split(',').map((name) => name.trim());
  if (names.length > modelsMax || !names.every(isModelName)) {
    throw new Rule(`must be at most ${modelsMax} names of models with commas between`);
  }
  return [...new Set(names)];
});

const modelPrices = makeValidator<ModelPrices>((text) => {
  const prices = parseModelPrices(text);
  if (prices === null) {
    throw new Rule(
      'must be JSON: {"model": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "15"}}, decimal strings',
    );
  }
  return prices;
});

/**
 * Parses `{model: {inputUsdPerMillion, cachedInputUsdPerMillion, cacheWriteUsdPerMillion, outputUsdPerMillion}}`, decimal strings. Without
 * prices of their own, cached input costs as much as any, and input that is put into the cache a quarter more, as Anthropic charges it
 * (docs/configuration.md). Null for anything else.
 */
function parseModelPrices(text: string): ModelPrices | null {
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

/** A value of an HTTP header. */
const headerSecret = makeValidator<string>((text) => {
  if (!/^[\x21-\x7e]{1,4096}$/.test(text)) throw new Rule('must be 1 to 4096 visible ASCII characters');
  return text;
});

/** A name of an HTTP header, except those that frame the request. */
const headerName = /^(?!(content-type|content-length|transfer-encoding|connection|host)$)[a-z0-9_-]{1,128}$/i;
const headersMax = 32;

const headers = makeValidator<Readonly<Record<string, string>>>((json) => {
  const given = parsedJson(json);
  const fits = (value: unknown) => typeof value === 'string' && /^[\x20-\x7e]{1,4096}$/.test(value);
  const isValid =
    isJsonObject(given) && Object.entries(given).every(([name, value]) => headerName.test(name) && fits(value));
  if (!isValid || Object.keys(given).length > headersMax) {
    throw new Rule(
      `must be JSON: {"name": "value"}, at most ${headersMax} headers of visible ASCII, none that frames the request`,
    );
  }
  // Reason for the assertion: every value was checked to be a string.
  return given as Readonly<Record<string, string>>;
});

function isModelName(text: string): boolean {
  return modelNamePattern.test(text) && text !== 'parley/rules';
}

const hasProvider = (env: Readonly<Record<string, unknown>>): boolean =>
  env['MODEL_PROVIDER'] === 'openai-compatible' || env['MODEL_PROVIDER'] === 'anthropic';

/** The environment variables of language models. */
export const modelVariables = {
  MODEL_PROVIDER: str({
    choices: ['rules', 'openai-compatible', 'anthropic'] as const,
    default: 'rules',
    desc: 'Where models answer; parley/rules, which needs no provider, is always offered besides',
  }),
  MODEL_BASE_URL: httpUrl({
    default: undefined,
    requiredWhen: (env) => env['MODEL_PROVIDER'] === 'openai-compatible',
    desc: "Root of the provider's API, as in https://host/v1; unset: Anthropic's own",
  }),
  MODEL_API_KEY: headerSecret({
    default: undefined,
    requiredWhen: (env) => env['MODEL_PROVIDER'] === 'anthropic',
    desc: 'Secret, the key of the provider; an OpenAI-compatible server may need none',
  }),
  MODEL_HEADERS: headers({
    default: {},
    desc: 'Secret, headers for the provider besides, as gateways want them, in JSON: {"name": "value"}; one that the key is sent in replaces it',
  }),
  MODEL_NAME: modelName({
    default: undefined,
    requiredWhen: hasProvider,
    desc: 'The default model, as its provider names it; with MODEL_PROVIDER=rules it is parley/rules',
  }),
  MODEL_ALLOWED: modelNames({
    default: undefined,
    desc: "Further models of the provider that a run's profile may name, with commas between",
  }),
  MODEL_FALLBACKS: modelFallbacks({
    default: [],
    desc: 'Secret, models that a step turns to, in this order, when the chosen one is away, in JSON: [{"model": "name"}]; of another provider with provider, baseUrl, apiKey and headers; "as" names it here, and "for" lists the models that it may stand in for (without: MODEL_NAME alone)',
  }),
  MODEL_PRICES: modelPrices({
    default: undefined,
    requiredWhen: hasProvider,
    desc: 'Prices of all of them, in JSON: {"model": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "15"}}; cachedInputUsdPerMillion next to them is the price of input that the provider had in its cache (without: that of any input), cacheWriteUsdPerMillion of input that it put there (without: that of any input and a quarter)',
  }),
  MODEL_OUTPUT_TOKENS: positiveInteger({
    default: undefined,
    desc: 'Most tokens that a model may answer in a step, its thinking included, as far as the reservation pays for them; unset: 32768, and no bound where output is free',
  }),
  MODEL_STRUCTURED_OUTPUT: trueOrFalse({
    default: true,
    desc: 'Ask for structured output by JSON Schema through the provider; false, or a server that refuses it: the schema is then only part of its instructions',
  }),
  MODEL_TIMEOUT_MS: positiveInteger({
    default: 120_000,
    desc: 'How long a step of a model may take with all its attempts and waits, but for the waits for a first byte, in milliseconds',
  }),
  MODEL_FIRST_BYTE_TIMEOUT_MS: positiveInteger({
    default: 120_000,
    desc: 'How long a provider may take to send the first byte of an answer, in milliseconds: it may have others to serve first',
  }),
  MODEL_IDLE_TIMEOUT_MS: positiveInteger({
    default: 30_000,
    desc: 'How long a provider may send nothing in the middle of an answer, in milliseconds',
  }),
  MODEL_RETRIES: wholeNumber({
    default: 2,
    desc: 'How often a step is asked for again that the provider did not begin to answer',
  }),
  MODEL_BREAKER_FAILURES: positiveInteger({
    default: 5,
    desc: 'So many attempts in a row that the provider did not begin to answer stop further ones',
  }),
  MODEL_BREAKER_OPEN_MS: positiveInteger({
    default: 10_000,
    desc: 'How long a provider that did not begin to answer is not asked, in milliseconds',
  }),
};

/** Refuses an offered model without a price: no budget could be enforced. Values that break their own rules count as not set. */
export function priceProblems(env: NodeJS.ProcessEnv): string[] {
  const prices = parseModelPrices(env['MODEL_PRICES'] ?? '');
  if (!hasProvider(env) || prices === null) return [];
  const names = [env['MODEL_NAME'] ?? '', ...(env['MODEL_ALLOWED'] ?? '').split(',')].map((name) => name.trim());
  const isUnpriced = names.some((name) => isModelName(name) && !Object.hasOwn(prices, name));
  return isUnpriced ? ['MODEL_PRICES: must price every model of MODEL_NAME and MODEL_ALLOWED'] : [];
}
