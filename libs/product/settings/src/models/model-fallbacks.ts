import { Rule, wrongInCalledUrl } from '@app/runtime';
import { makeValidator } from 'envalid';
import { fittingJson } from '../fitting-json';

/** The connection to a provider of models. */
export interface ModelConnection {
  readonly provider: 'openai-compatible' | 'anthropic';
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** Additional headers, which may hold secrets as well. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A model that a step falls back to while the chosen model's provider is away. */
export interface ModelFallback {
  /** The provider's name for it. */
  readonly model: string;
  /** This service's name for it, in prices, journals and metrics. */
  readonly name: string;
  /** The models that it may replace; null for the default one. */
  readonly for: readonly string[] | null;
  /** Null to use the connection of MODEL_PROVIDER. */
  readonly connection: ModelConnection | null;
}

type GivenFallback = Partial<ModelConnection> & {
  readonly model: string;
  readonly as?: string;
  readonly for?: readonly string[];
};

const fallbacksMax = 8;
/** A name as an item of a list. Never the model of rules, which cannot replace a language model. */
const modelName = { type: 'string', pattern: '^(?!parley/rules$)[\\x21-\\x2b\\x2d-\\x7e]{1,128}$' };

const fallbacksSchema = {
  type: 'array',
  maxItems: fallbacksMax,
  items: {
    type: 'object',
    properties: {
      model: modelName,
      as: modelName,
      for: { type: 'array', minItems: 1, maxItems: 64, items: modelName },
      provider: { enum: ['openai-compatible', 'anthropic'] },
      baseUrl: { type: 'string', pattern: '^https?://[^\\s@]+$', maxLength: 2048 },
      apiKey: { type: 'string', pattern: '^[\\x21-\\x7e]{1,4096}$' },
      headers: {
        type: 'object',
        maxProperties: 32,
        propertyNames: {
          pattern:
            '^(?!([Cc]ontent-([Tt]ype|[Ll]ength)|[Tt]ransfer-[Ee]ncoding|[Cc]onnection|[Hh]ost)$)[A-Za-z0-9_-]{1,128}$',
        },
        additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]{1,4096}$' },
      },
    },
    required: ['model'],
    // A key is only sent to the provider that it belongs to.
    dependentRequired: { baseUrl: ['provider'], apiKey: ['provider'], headers: ['provider'] },
    allOf: [
      {
        if: { properties: { provider: { const: 'openai-compatible' } }, required: ['provider'] },
        then: { required: ['baseUrl'] },
      },
      {
        if: { properties: { provider: { const: 'anthropic' } }, required: ['provider'] },
        then: { required: ['apiKey'] },
      },
    ],
    additionalProperties: false,
  },
};

export const modelFallbacks = makeValidator<readonly ModelFallback[]>((json) => {
  const given = fittingJson<GivenFallback[]>(json, fallbacksSchema, 'must be a JSON list of models');
  const names = given.map(({ model, as = model }) => as);
  if (new Set(names).size < names.length)
    throw new Rule('must name each model once, by "as" where two are called alike');
  for (const { baseUrl } of given) {
    const wrong = baseUrl === undefined ? null : wrongInCalledUrl(baseUrl);
    if (wrong !== null) throw new Rule(`each baseUrl ${wrong}`);
  }
  return given.map(fallbackOf);
});

function fallbackOf({ model, as, for: chosen, provider, baseUrl, apiKey, headers = {} }: GivenFallback): ModelFallback {
  const connection = provider === undefined ? null : { provider, baseUrl, apiKey, headers };
  return { model, name: as ?? model, for: chosen ?? null, connection };
}

/** The part of an environment that a list of fallbacks must match; values that broke their own rules are absent. */
interface Offered {
  readonly MODEL_PROVIDER?: string;
  readonly MODEL_NAME?: string | undefined;
  readonly MODEL_ALLOWED?: readonly string[] | undefined;
  readonly MODEL_PRICES?: Readonly<Record<string, unknown>> | undefined;
  readonly MODEL_FALLBACKS?: readonly ModelFallback[];
}

/** Returns the conflicts between the fallbacks and the other models, as `NAME: rule`. */
export function fallbackProblems(env: Offered): readonly string[] {
  const { MODEL_FALLBACKS: fallbacks = [], MODEL_PRICES: prices } = env;
  if (fallbacks.length === 0) return [];
  if (env.MODEL_PROVIDER === 'rules') return ['MODEL_FALLBACKS: must go with a MODEL_PROVIDER that can be away'];
  const offered = [...(env.MODEL_NAME === undefined ? [] : [env.MODEL_NAME]), ...(env.MODEL_ALLOWED ?? [])];
  const problems: string[] = [];
  if (offered.length > 0 && fallbacks.some((one) => one.for?.some((name) => !offered.includes(name)) === true))
    problems.push('MODEL_FALLBACKS: must stand in for models of MODEL_NAME and MODEL_ALLOWED only');
  if (
    fallbacks.some(({ model, name, connection }) => offered.includes(name) && (connection !== null || model !== name))
  )
    problems.push('MODEL_FALLBACKS: must give a model another name, by "as", than one that is reached otherwise');
  if (prices !== undefined && fallbacks.some(({ name }) => !Object.hasOwn(prices, name)))
    problems.push('MODEL_PRICES: must price every model of MODEL_FALLBACKS');
  return problems;
}
