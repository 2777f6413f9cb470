import { Injectable } from '@nestjs/common';
import { Configuration, type ModelConnection } from '@app/settings';
import { ModelFailed, type LanguageModel } from './model';
import type { AiSdkProvider } from './ai-sdk.adapter';
import { ProviderBreaker } from './provider-breaker';
import { ProviderModel } from './provider-model';
import { servedBy, type ServedModel } from './conventions/served-model';

/** Port: models that need no provider; they are offered after those of a provider. */
export class LocalModels {
  constructor(readonly all: readonly LanguageModel[]) {}
}

/** A model of a provider, with the provider's circuit breaker. */
export interface WatchedModel {
  readonly name: string;
  readonly provider: ModelConnection['provider'];
  readonly breaker: ProviderBreaker;
}

/** The models that the deployment offers, by name; the first is the default. */
@Injectable()
export class Models {
  /** Every model of a provider, fallbacks included; those of one provider share its circuit breaker. */
  readonly watched: readonly WatchedModel[];
  private readonly offered: readonly LanguageModel[];
  private readonly standIns: readonly StandIn[];

  constructor(local: LocalModels, configuration: Configuration) {
    const { offered, standIns } = providerModels(configuration);
    this.offered = [...offered.map(({ model }) => model), ...local.all];
    this.standIns = standIns;
    const all = [...offered, ...standIns];
    this.watched = all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at);
  }

  get names(): readonly string[] {
    return this.offered.map(({ name }) => name);
  }

  /** @throws ModelFailed for a model that was offered when the run was admitted and no longer is */
  find(name: string): LanguageModel {
    const model = this.offered.find((offered) => offered.name === name);
    if (model === undefined) throw new ModelFailed('not_offered', `the deployment no longer offers ${name}`);
    return model;
  }

  /** The service that answers for a model; null for one that is no longer offered. */
  servedOf(name: string): ServedModel | null {
    return this.offered.find((offered) => offered.name === name)?.served ?? null;
  }

  /** The fallbacks for a step of that model, in order. */
  standInsOf(name: string): readonly LanguageModel[] {
    return this.standIns.flatMap(({ model, for: replaced }) =>
      replaced.includes(name) && model.name !== name ? [model] : [],
    );
  }
}

interface ProvidedModel extends WatchedModel {
  readonly model: LanguageModel;
}

interface StandIn extends ProvidedModel {
  /** The models that it may replace. */
  readonly for: readonly string[];
}

/** The models of MODEL_PROVIDER, MODEL_NAME first, and those of MODEL_FALLBACKS. */
function providerModels(configuration: Configuration): {
  readonly offered: readonly ProvidedModel[];
  readonly standIns: readonly StandIn[];
} {
  const { env } = configuration;
  if (env.MODEL_PROVIDER === 'rules') return { offered: [], standIns: [] };
  const { MODEL_PROVIDER: provider, MODEL_BASE_URL: baseUrl, MODEL_API_KEY: apiKey, MODEL_HEADERS: headers } = env;
  const makes = makersOf(configuration, { provider, baseUrl, apiKey, headers });
  const names = new Set([...(env.MODEL_NAME === undefined ? [] : [env.MODEL_NAME]), ...(env.MODEL_ALLOWED ?? [])]);
  const offered = [...names].map((name) => makes(null)(name, name));
  const standIns = env.MODEL_FALLBACKS.map(({ name, model, for: given, connection }) => {
    // A fallback that is offered as well is the same object, with what it has learned about its provider.
    const made = offered.find((one) => one.name === name) ?? makes(connection)(name, model);
    return { ...made, for: given ?? [...names].slice(0, 1) };
  });
  return { offered, standIns };
}

type MakeModel = (name: string, providerName: string) => ProvidedModel;

/** Makes models; those of one connection share a circuit breaker. @param main the connection where no other is given */
function makersOf(
  configuration: Configuration,
  main: ModelConnection,
): (connection: ModelConnection | null) => MakeModel {
  const { env } = configuration;
  const made = new Map<string, MakeModel>();
  return (connection) => {
    const reached = connection ?? main;
    const key = JSON.stringify([reached.provider, reached.baseUrl, reached.apiKey, reached.headers]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const provider = sdkProvider(configuration, reached);
    const breaker = new ProviderBreaker(env.MODEL_BREAKER_FAILURES, env.MODEL_BREAKER_OPEN_MS);
    const patience = { timeoutMs: env.MODEL_TIMEOUT_MS, retries: env.MODEL_RETRIES };
    const make: MakeModel = (name, providerName) => {
      const price = env.MODEL_PRICES?.[name];
      if (price === undefined) throw new RangeError(`configuration has let ${name} pass without a price`);
      const spending = { price, outputTokensMax: env.MODEL_OUTPUT_TOKENS };
      const model = new ProviderModel(name, servedBy(reached, providerName), provider, breaker, spending, patience);
      return { name, provider: reached.provider, breaker, model };
    };
    made.set(key, make);
    return make;
  };
}

function sdkProvider({ env }: Configuration, connection: ModelConnection): AiSdkProvider {
  // Reason for the assertion: `require` knows no types.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load the SDK at every start, for a third of a second
  const sdk = require('./ai-sdk.adapter') as { readonly AiSdkProvider: typeof AiSdkProvider };
  return new sdk.AiSdkProvider({
    ...connection,
    silence: { firstByteTimeoutMs: env.MODEL_FIRST_BYTE_TIMEOUT_MS, idleTimeoutMs: env.MODEL_IDLE_TIMEOUT_MS },
    outputTokensMax: env.MODEL_OUTPUT_TOKENS,
    structuredOutput: env.MODEL_STRUCTURED_OUTPUT,
  });
}
