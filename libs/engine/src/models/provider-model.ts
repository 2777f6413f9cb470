import { Logger } from '@nestjs/common';
import type { JsonValue } from '@app/kernel';
import type { ModelPrice } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelFailed, type LanguageModel, type ModelReply, type ModelRequest } from '../model';
import { storableText } from './answer-values';
import { stepCost } from './cost';
import { ProviderTrouble, type AnswerPart, type ModelProvider, type TokenUsage } from './provider';
import type { ProviderBreaker } from './provider-breaker';
import { withinTime } from './within-time';

/** Text and the inputs of calls, as UTF-8. */
const answerBytesMax = 256 * 1024;
const callsMax = 64;
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

  /** @param unknownCostMicroCents what a step is charged of which the provider tells no usage */
  constructor(
    readonly name: string,
    private readonly provider: ModelProvider,
    private readonly breaker: ProviderBreaker,
    private readonly price: ModelPrice,
    private readonly unknownCostMicroCents: number,
    private readonly patience: ModelPatience,
  ) {}

  async step(request: ModelRequest, onText: (text: string) => void, signal: AbortSignal): Promise<ModelReply> {
    const { timeoutMs } = this.patience;
    try {
      return await withinTime(signal, timeoutMs, async (stopped) => {
        const parts = await this.begin(request, stopped, performance.now() + timeoutMs);
        return this.listen(parts, onText, stopped);
      });
    } catch (error) {
      if (error instanceof ProviderTrouble) throw new ModelFailed(error.trouble, `${this.name}: ${error.message}`);
      throw error;
    }
  }

  /** Asks until an answer begins. From then on nothing is asked again: what was said was shown. */
  private async begin(request: ModelRequest, signal: AbortSignal, deadlineMs: number) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.breaker.ask(deadlineMs, signal, async () => this.attempt(request, signal));
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

  private async attempt(request: ModelRequest, signal: AbortSignal): Promise<AsyncGenerator<AnswerPart>> {
    const parts = this.provider.answer(this.name, request, signal);
    await parts.next();
    return parts;
  }

  private async listen(
    parts: AsyncGenerator<AnswerPart>,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    let text = '';
    let bytes = 0;
    let usage: TokenUsage | null = null;
    const calls: { readonly tool: string; readonly input: JsonValue }[] = [];
    for await (const part of parts) {
      if (signal.aborted) break;
      if (part.kind === 'end') usage = part.usage;
      if (part.kind === 'text') {
        bytes += Buffer.byteLength(part.text);
        text += part.text;
      }
      if (part.kind === 'call') {
        bytes += Buffer.byteLength(JSON.stringify(part.input));
        calls.push({ tool: storableText(part.tool), input: part.input });
      }
      if (bytes > answerBytesMax)
        throw new ModelFailed('too_long', `${this.name}: an answer of more than ${answerBytesMax} bytes`);
      if (calls.length > callsMax)
        throw new ModelFailed('too_long', `${this.name}: more than ${callsMax} calls in a step`);
      if (part.kind === 'text') onText(part.text.replaceAll('\u0000', '\ufffd'));
    }
    if (text.trim() === '' && calls.length === 0 && !signal.aborted) {
      throw new ModelFailed('empty', `${this.name}: an answer without text and calls`);
    }
    return { text: text === '' ? null : storableText(text), calls, ...this.charged(usage) };
  }

  private charged(usage: TokenUsage | null): Pick<ModelReply, 'inputTokens' | 'outputTokens' | 'costMicroCents'> {
    if (usage === null) return { inputTokens: 0, outputTokens: 0, costMicroCents: this.unknownCostMicroCents };
    const { inputTokens, outputTokens } = usage;
    return { inputTokens, outputTokens, costMicroCents: stepCost(this.price, usage) };
  }
}
