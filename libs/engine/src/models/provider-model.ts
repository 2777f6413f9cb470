import { Logger } from '@nestjs/common';
import type { ModelPrice } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelFailed, type AnswerEnding, type LanguageModel, type ModelReply, type ModelRequest } from '../model';
import { stepCost } from './cost';
import { HeardAnswer } from './heard-answer';
import { ProviderTrouble, type AnswerPart, type ModelProvider } from './provider';
import type { ProviderBreaker } from './provider-breaker';
import { withinTime } from './within-time';

const firstWaitMs = 500;
const waitMsMax = 8_000;

export interface ModelPatience {
  /** Of a whole step, with all its attempts. */
  readonly timeoutMs: number;
  readonly retries: number;
}

/** A model of somebody else's: asked again when the provider did not begin to answer, within bounds of time and size, and paid for. */
export class ProviderModel implements LanguageModel {
  readonly readsHistory = true;
  private readonly logger = new Logger(ProviderModel.name);

  constructor(
    readonly name: string,
    private readonly provider: ModelProvider,
    private readonly breaker: ProviderBreaker,
    private readonly price: ModelPrice,
    private readonly patience: ModelPatience,
  ) {}

  async step(request: ModelRequest, onText: (text: string) => void, signal: AbortSignal): Promise<ModelReply> {
    const { timeoutMs } = this.patience;
    const heard = new HeardAnswer(this.name, onText);
    try {
      await withinTime(signal, timeoutMs, async (stopped) => {
        const parts = await this.begin(request, heard, stopped, performance.now() + timeoutMs);
        for await (const part of parts) {
          if (stopped.aborted) break;
          heard.take(part);
        }
      });
      return this.replyOf(heard, heard.cut ? 'cut' : 'whole');
    } catch (error) {
      const failure = error instanceof ProviderTrouble ? this.failureOf(error) : error;
      if (!heard.begun) throw failure;
      if (signal.aborted) return this.replyOf(heard, 'stopped');
      if (failure instanceof ModelFailed) return this.replyOf(heard, failure);
      throw failure;
    }
  }

  private failureOf({ trouble, message }: ProviderTrouble): ModelFailed {
    return new ModelFailed(trouble, `${this.name}: ${message}`);
  }

  private replyOf(heard: HeardAnswer, ending: AnswerEnding): ModelReply {
    const { text, calls, counted } = heard;
    const { inputTokens, outputTokens, estimated } = counted;
    if (estimated && ending === 'whole')
      this.logger.warn(`${this.name}: the provider told no usage, so it is estimated; see MODEL_PRICES`);
    return {
      ...{ text, calls, inputTokens, outputTokens, estimated, ending },
      costMicroCents: stepCost(this.price, counted),
    };
  }

  /** Asks until an answer begins. From then on nothing is asked again: what was said was shown. */
  private async begin(request: ModelRequest, heard: HeardAnswer, signal: AbortSignal, deadlineMs: number) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.breaker.ask(deadlineMs, signal, async () => this.attempt(request, heard, signal));
      } catch (error) {
        if (!(error instanceof ProviderTrouble) || !error.passing || attempt >= this.patience.retries) throw error;
        const waitMs =
          error.retryAfterMs ?? Math.min(firstWaitMs * 2 ** attempt, waitMsMax) * (0.5 + Math.random() / 2);
        if (performance.now() + waitMs >= deadlineMs) throw error;
        this.logger.warn(`${this.name}, attempt ${attempt + 1}: ${error.message}; again in ${Math.round(waitMs)} ms`);
        await sleep(waitMs, undefined, { signal });
      }
    }
  }

  private async attempt(
    request: ModelRequest,
    heard: HeardAnswer,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<AnswerPart>> {
    const parts = this.provider.answer(this.name, request, signal);
    const first = await parts.next();
    if (first.done !== true) heard.take(first.value);
    return parts;
  }
}
