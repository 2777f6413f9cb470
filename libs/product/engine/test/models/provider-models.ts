import { readConfiguration } from '@app/settings';
import { LoopbackModels, type Asked, type Provider, type Script } from '@app/testing/models';
import type { LanguageModel, ModelReply, StepRequest } from '../../src/models/model';
import { LocalModels, Models } from '../../src/models/models';

/** The models of a deployment with this environment, and with these that need no provider. */
export function modelsWith(environment: NodeJS.ProcessEnv, local: readonly LanguageModel[] = []): Models {
  return new Models(new LocalModels(local), readConfiguration(environment));
}

/** A scripted provider, and the product's model that asks it. */
export class ProviderModels {
  private constructor(
    readonly loopback: LoopbackModels,
    private readonly settings: Record<string, string>,
  ) {}

  static async start(provider: Provider, settings: Record<string, string> = {}): Promise<ProviderModels> {
    return new ProviderModels(await LoopbackModels.start(provider), settings);
  }

  /** A new model, without any earlier trouble. */
  model(settings: Record<string, string> = {}): LanguageModel {
    return modelsWith({ ...this.loopback.environment(), ...this.settings, ...settings }).find('scripted-1');
  }

  /** One step with a new script: its reply, the pieces of it, and the first request to the provider. */
  async step(script: Script, request: StepRequest): Promise<{ reply: ModelReply; pieces: string[]; asked: Asked }> {
    this.loopback.says(script);
    const pieces: string[] = [];
    const reply = await this.model().step(request, (text) => pieces.push(text), new AbortController().signal);
    return { reply, pieces, asked: (await this.loopback.asked(1)).asked };
  }

  /** One step that fails: with its error, the pieces before that, the reply to record, and the duration. */
  async failure(
    script: Script,
    request: StepRequest,
    model = this.model(),
    signal = new AbortController().signal,
  ): Promise<{ error: unknown; pieces: string[]; reply: ModelReply | null; ms: number }> {
    this.loopback.says(script);
    const pieces: string[] = [];
    const begunMs = performance.now();
    const { error, reply } = await model
      .step(request, (text) => pieces.push(text), signal)
      .then(
        (whole) => {
          if (whole.ending === 'whole' || whole.ending === 'cut') throw new Error('the step did not fail');
          return { error: whole.ending, reply: whole };
        },
        (failure: unknown) => ({ error: failure, reply: null }),
      );
    return { error, pieces, reply, ms: performance.now() - begunMs };
  }
}

/** Messages in a request to a provider, in short. */
export function said(
  messages: readonly { role: string; text: string; calls: readonly object[]; results: readonly object[] }[],
) {
  return messages.map(({ role, text, calls, results }) => [role, text, ...[...calls, ...results].map(Object.values)]);
}
