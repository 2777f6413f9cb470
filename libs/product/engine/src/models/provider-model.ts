import { Logger } from '@nestjs/common';
import type { ModelPrice } from '@app/settings';
import { setTimeout as sleep } from 'node:timers/promises';
import { newerHalf } from './newest-turns';
import { ModelFailed } from './model';
import type { AnswerEnding, LanguageModel, ModelReply, ShowPiece, StepRequest } from './model';
import { stepCost } from './cost';
import { PartialAnswer } from './partial-answer';
import { OutputCeiling, outputLimit } from './output-limit';
import type { ModelTrouble } from './model-troubles';
import { ProviderTrouble, type AnswerPart, type ModelProvider, type SparePart } from './provider';
import type { ProviderBreaker } from './provider-breaker';
import type { ServedModel } from './conventions/served-model';
import { withinTime, type WorkTime } from './within-time';

const firstWaitMs = 500;
const waitMsMax = 8_000;

/** How often the history is halved if the context is full. */
const halvingsMax = 3;
/** How often the output limit is lowered. */
const loweringsMax = 8;

/** How many kinds of unread parts are logged in all. */
const toldSkippedMax = 64;

/** Troubles by which we abandoned an answer: the provider may have worked on it all the same. */
const endedByUs: readonly ModelTrouble[] = ['queued', 'late'];

/** Log words for what a request is repeated with in place of a part that was refused. */
const inPlaceOf: Readonly<Record<SparePart, string>> = {
  format: 'without a format',
  tool_schemas: 'with the schemas of the tools in words',
  cache_marks: 'without marks for its cache',
  max_tokens: 'with max_completion_tokens',
  temperature: 'without a temperature',
  effort: 'without an effort',
};

/** The request to send: less than the run would have, if the provider accepts no more. */
interface Question {
  readonly request: StepRequest;
  readonly without: ReadonlySet<SparePart>;
  /** The output limit that remains after a refusal; Infinity before one. */
  readonly tokensMax: number;
}

/** A step in flight. */
interface Step {
  readonly heard: PartialAnswer;
  readonly stopped: AbortSignal;
  readonly time: WorkTime;
}

/** The price of tokens, and the most that are requested. */
export interface ModelSpending {
  readonly price: ModelPrice;
  readonly outputTokensMax: number | undefined;
}

export interface ModelPatience {
  /** Time of a whole step with all its attempts, except the waits for their first byte. */
  readonly timeoutMs: number;
  readonly retries: number;
}

/** A model of an external provider: asked again when the provider did not begin to answer, within bounds of time and size, and paid for. */
export class ProviderModel implements LanguageModel {
  readonly readsHistory = true;
  private readonly logger = new Logger(ProviderModel.name);
  /** Parts that the provider refused, and without which it answered. */
  private readonly refuses = new Set<SparePart>();
  private readonly toldSkipped = new Set<string>();
  private readonly ceiling: OutputCeiling;
  private readonly price: ModelPrice;

  constructor(
    readonly name: string,
    readonly served: ServedModel,
    private readonly provider: ModelProvider,
    private readonly breaker: ProviderBreaker,
    { price, outputTokensMax }: ModelSpending,
    private readonly patience: ModelPatience,
  ) {
    this.price = price;
    this.ceiling = new OutputCeiling(outputTokensMax);
  }

  async step(request: StepRequest, onPiece: ShowPiece, signal: AbortSignal): Promise<ModelReply> {
    const { timeoutMs } = this.patience;
    const heard = new PartialAnswer(this.name, request.reasoning, onPiece);
    try {
      await withinTime(signal, timeoutMs, async (stopped, time) => {
        const parts = await this.beginAnyhow(request, { heard, stopped, time });
        await this.breaker.countStream(async () => {
          for await (const part of parts) {
            if (stopped.aborted) break;
            heard.add(part);
          }
        });
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

  private replyOf(heard: PartialAnswer, ending: AnswerEnding): ModelReply {
    const { text, calls, counted, servedModel } = heard;
    const { inputTokens, cachedInputTokens, outputTokens, estimated } = counted;
    if (!heard.isCounted && ending === 'whole')
      this.logger.warn(`${this.name}: the provider reported no usage, so it is estimated (docs/configuration.md)`);
    this.tellSkipped(heard.skipped);
    const costMicroCents = stepCost(this.price, counted);
    const used = { inputTokens, cachedInputTokens, outputTokens, estimated, costMicroCents };
    return { model: this.name, servedModel, reasoning: heard.reasoningUntil(ending), text, calls, ...used, ending };
  }

  /** Logs each kind once, because a provider that sends unread parts does so with every answer. */
  private tellSkipped(skipped: readonly string[]): void {
    const unknown = skipped
      .filter((what) => !this.toldSkipped.has(what))
      .slice(0, toldSkippedMax - this.toldSkipped.size);
    for (const what of unknown) this.toldSkipped.add(what);
    if (unknown.length > 0) this.logger.warn(`${this.name}: the provider sent what is not read: ${unknown.join(', ')}`);
  }

  /** Begins an answer; asks for less if the provider says that the request was too much (docs/decisions/runs.md, "Models as they are"). */
  private async beginAnyhow(request: StepRequest, step: Step): Promise<AsyncGenerator<AnswerPart>> {
    let asked: Question = { request, without: new Set(this.refuses), tokensMax: Infinity };
    for (let halvings = 0, lowerings = 0; ;) {
      try {
        const parts = await this.begin(asked, step);
        for (const part of asked.without) this.refuses.add(part);
        return parts;
      } catch (error) {
        if (!(error instanceof ProviderTrouble)) throw error;
        const { trouble, message, outputRoom } = error;
        const refused = this.partToOmit(asked, error);
        if (outputRoom !== null && lowerings < loweringsMax) {
          lowerings += 1;
          this.ceiling.learn(outputRoom);
          asked = { ...asked, tokensMax: lowered(asked.tokensMax, outputRoom.tokens) };
          this.logger.warn(`${this.name}: ${message}; asked again with at most ${asked.tokensMax} tokens of output`);
        } else if (trouble === 'context_full' && asked.request.history.length > 0 && halvings < halvingsMax) {
          halvings += 1;
          asked = { ...asked, request: { ...request, history: newerHalf(asked.request.history) } };
          this.logger.warn(`${this.name}: ${message}; asked again with half of the history`);
        } else if (refused !== undefined) {
          asked = { ...asked, without: new Set([...asked.without, refused]) };
          this.logger.warn(`${this.name}: ${message}; asked again ${inPlaceOf[refused]}`);
        } else throw error;
      }
    }
  }

  /**
   * Returns the part to leave out of a request that was refused; each part is left out once. A provider that names no part means the
   * format.
   */
  private partToOmit({ request, without }: Question, { trouble, refused }: ProviderTrouble): SparePart | undefined {
    if (trouble !== 'refused_request') return undefined;
    const meant: readonly SparePart[] =
      refused === 'schemas' ? ['format', 'tool_schemas'] : refused === null ? ['format'] : [refused];
    const spare = this.provider.sparePartsOf(request);
    return meant.find((part) => spare.includes(part) && !without.has(part));
  }

  /** Asks until an answer begins. From then on nothing is asked again, because received words were shown. */
  private async begin(asked: Question, step: Step): Promise<AsyncGenerator<AnswerPart>> {
    const { stopped, time } = step;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.breaker.ask(
          () => (asked.request.waitsForProvider === false ? 0 : time.leftMs),
          stopped,
          async () => this.attempt(asked, step),
        );
      } catch (error) {
        if (!(error instanceof ProviderTrouble) || !error.passing || attempt >= this.patience.retries) throw error;
        const waitMs =
          error.retryAfterMs ?? Math.min(firstWaitMs * 2 ** attempt, waitMsMax) * (0.5 + Math.random() / 2);
        if (waitMs >= time.leftMs) throw error;
        this.logger.warn(`${this.name}, attempt ${attempt + 1}: ${error.message}; again in ${Math.round(waitMs)} ms`);
        await sleep(waitMs, undefined, { signal: stopped });
      }
    }
  }

  /** Makes one attempt. The wait for the first byte has a limit of its own. */
  private async attempt({ request, without, tokensMax }: Question, step: Step): Promise<AsyncGenerator<AnswerPart>> {
    const { heard, stopped: signal, time } = step;
    const onFirstByte = () => time.run();
    const onAccepted = (promptTokens: number) => heard.markAccepted(promptTokens);
    const { price, ceiling } = this;
    const limitOutput = async (promptTokens: number) => {
      const paidMicroCents = stepCost(price, heard.left);
      const spending = { price, ceiling, tokensMax, paidMicroCents, allowance: request.allowance };
      const limit = await outputLimit(spending, promptTokens);
      heard.limitOutput(limit);
      return limit;
    };
    time.pause();
    try {
      const parts = this.provider.answer(this.served.model, request, {
        signal,
        without,
        onAccepted,
        onFirstByte,
        limitOutput,
      });
      const first = await parts.next();
      if (first.done !== true) heard.add(first.value);
      return parts;
    } catch (error) {
      const isOurs = signal.aborted || (error instanceof ProviderTrouble && endedByUs.includes(error.trouble));
      if (isOurs) heard.markLeft();
      else heard.markGivenUp();
      throw error;
    } finally {
      time.run();
    }
  }
}

/** Some providers state the prompt smaller than it is, so a limit that is stated again is at most half of the previous one. */
function lowered(present: number, named: number): number {
  return present === Infinity ? named : Math.min(named, Math.floor(present / 2));
}
