import { Injectable } from '@nestjs/common';
import { Configuration } from '@app/runtime';
import { ModelFailed, type LanguageModel } from './model';
import type { AiSdkProvider } from './models/ai-sdk.adapter';
import { ProviderBreaker } from './models/provider-breaker';
import { ProviderModel } from './models/provider-model';

/** Port: models that need no provider; they are offered after those of one. */
export class LocalModels {
  constructor(readonly all: readonly LanguageModel[]) {}
}

/** The models that the deployment offers, by name; the first is the default. */
@Injectable()
export class Models {
  /** The configured provider's breaker; null without a provider. */
  readonly breaker: ProviderBreaker | null;
  private readonly offered: readonly LanguageModel[];

  constructor(local: LocalModels, configuration: Configuration) {
    const {
      MODEL_PROVIDER: provider,
      MODEL_BREAKER_FAILURES: failures,
      MODEL_BREAKER_OPEN_MS: openMs,
    } = configuration.env;
    this.breaker = provider === 'rules' ? null : new ProviderBreaker(failures, openMs);
    this.offered = [...(this.breaker === null ? [] : providerModels(configuration, this.breaker)), ...local.all];
  }

  get names(): readonly string[] {
    return this.offered.map(({ name }) => name);
  }

  /** @throws ModelFailed for a model that was offered when the run was admitted and is not any more */
  find(name: string): LanguageModel {
    const model = this.offered.find((offered) => offered.name === name);
    if (model === undefined) throw new ModelFailed('not_offered', `the deployment no longer offers ${name}`);
    return model;
  }
}

/** Those of the configured provider, MODEL_NAME first; they share its circuit breaker. */
function providerModels({ env }: Configuration, breaker: ProviderBreaker): readonly LanguageModel[] {
  if (env.MODEL_PROVIDER === 'rules') return [];
  // Reason for the assertion: `require` knows no types.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load the SDK at every start, for a third of a second
  const sdk = require('./models/ai-sdk.adapter') as { readonly AiSdkProvider: typeof AiSdkProvider };
  const provider = new sdk.AiSdkProvider({
    provider: env.MODEL_PROVIDER,
    baseUrl: env.MODEL_BASE_URL,
    apiKey: env.MODEL_API_KEY,
    headers: env.MODEL_HEADERS,
    silence: { firstByteTimeoutMs: env.MODEL_FIRST_BYTE_TIMEOUT_MS, idleTimeoutMs: env.MODEL_IDLE_TIMEOUT_MS },
    outputTokensMax: env.MODEL_OUTPUT_TOKENS,
    structuredOutput: env.MODEL_STRUCTURED_OUTPUT,
  });
  const patience = { timeoutMs: env.MODEL_TIMEOUT_MS, retries: env.MODEL_RETRIES };
  const names = new Set([...(env.MODEL_NAME === undefined ? [] : [env.MODEL_NAME]), ...(env.MODEL_ALLOWED ?? [])]);
  return [...names].map((name) => {
    const price = env.MODEL_PRICES?.[name];
    if (price === undefined) throw new RangeError(`configuration has let ${name} pass without a price`);
    return new ProviderModel(name, provider, breaker, price, patience);
  });
}
