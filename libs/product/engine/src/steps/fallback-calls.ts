import { Injectable, Logger } from '@nestjs/common';
import type { ExecutableSegment } from '@app/runs';
import { ModelFailed } from '../models/model';
import type { Allowance, LanguageModel, ModelReply, StepRequest, ShowPiece } from '../models/model';
import { ModelCalls } from './model-calls';
import { fallbackTroubles } from '../models/model-troubles';
import { Models } from '../models/models';

/** The result of asking one model: a reply or a failure. */
type Tried = ModelReply | ModelFailed;

/** Asks a model for a step, and those of MODEL_FALLBACKS while its provider is away (docs/decisions/runs.md, "Models as they are"). */
@Injectable()
export class StandInCalls {
  private readonly logger = new Logger(StandInCalls.name);

  constructor(
    private readonly models: Models,
    private readonly calls: ModelCalls,
  ) {}

  /**
   * One step, as `LanguageModel.step`: of the chosen model, or of the first fallback that answers. Whatever any of them began is paid for.
   */
  async step(
    chosen: LanguageModel,
    run: ExecutableSegment,
    request: StepRequest,
    onPiece: ShowPiece,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    const standIns = this.models.standInsOf(chosen.name);
    if (standIns.length === 0) return this.calls.step(chosen, run, request, onPiece, signal);
    const tried: Tried[] = [];
    let shown = false;
    const show: ShowPiece = (text, of) => {
      shown = true;
      onPiece(text, of);
    };
    const ask = async (model: LanguageModel, waits: boolean): Promise<boolean> => {
      const allowance = lessThan(request.allowance, costOf(tried));
      const asked = { ...request, allowance, waitsForProvider: waits };
      tried.push(
        await this.calls.step(model, run, asked, show, signal).catch((error: unknown) => triedIn(error, tried, signal)),
      );
      const failure = failureOf(tried.at(-1));
      // A fallback that costs too much replaces none, and another may cost less.
      const isPassedOver = model !== chosen && failure?.trouble === 'out_of_budget';
      const isAway =
        failure !== null && (fallbackTroubles.includes(failure.trouble) || isPassedOver) && !shown && !signal.aborted;
      if (isAway) this.logger.warn(`${failure.message}; another model is asked`);
      return isAway;
    };
    for (const model of [chosen, ...standIns]) if (!(await ask(model, false))) return outcomeOf(tried);
    // No model was asked: then wait for the chosen one, as if it had no fallbacks.
    if (tried.every((one) => one instanceof ModelFailed && one.trouble === 'not_asked')) await ask(chosen, true);
    return outcomeOf(tried);
  }
}

/** Rethrows an error that is no failure of a model, except an abort after another model has begun: that one's answer is still paid for. */
function triedIn(error: unknown, before: readonly Tried[], signal: AbortSignal): Tried {
  if (error instanceof ModelFailed) return error;
  const begun = before.find((one) => !(one instanceof ModelFailed));
  if (begun === undefined || !signal.aborted) throw error;
  const nothing = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroCents: 0 };
  return { ...begun, ...nothing, calls: [], ending: 'stopped' };
}

/** Micro-cents of everything that was begun. */
function costOf(tried: readonly Tried[]): number {
  return tried.reduce((sum, one) => sum + (one instanceof ModelFailed ? 0 : one.costMicroCents), 0);
}

/** The allowance after other models of the step have cost so much. */
function lessThan(allowance: Allowance, microCents: number): Allowance {
  return {
    cover: async ({ least, wanted }) => {
      const left = await allowance.cover({ least: least + microCents, wanted: wanted + microCents });
      return left === null ? null : left - microCents;
    },
  };
}

function failureOf(tried: Tried | undefined): ModelFailed | null {
  if (tried instanceof ModelFailed) return tried;
  return tried?.ending instanceof ModelFailed ? tried.ending : null;
}

/** The last reply, with the cost of everything begun before it. Throws the first failure if nothing was begun. */
function outcomeOf(tried: readonly Tried[]): ModelReply {
  const replies = tried.filter((one): one is ModelReply => !(one instanceof ModelFailed));
  const last = tried.at(-1);
  const reply = last instanceof ModelFailed ? replies.at(-1) : last;
  const failures = tried.map(failureOf);
  // A refusal by the budget is the more useful reason than that another model was away.
  const first = failures.find((failure) => failure?.trouble === 'out_of_budget') ?? failures[0] ?? null;
  if (reply === undefined) throw first ?? new Error('no model was asked');
  const before = replies.filter((one) => one !== reply);
  const total = (count: (one: ModelReply) => number) => before.reduce((sum, one) => sum + count(one), count(reply));
  return {
    ...reply,
    inputTokens: total(({ inputTokens }) => inputTokens),
    cachedInputTokens: total(({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: total(({ outputTokens }) => outputTokens),
    costMicroCents: total(({ costMicroCents }) => costMicroCents),
    estimated: [reply, ...before].some(({ estimated }) => estimated),
    // If no model answered, the user reads about the chosen one.
    ending: failureOf(last) !== null && first !== null && reply.text === null ? first : reply.ending,
  };
}
