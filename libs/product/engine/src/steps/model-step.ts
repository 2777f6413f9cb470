import { Injectable, Logger } from '@nestjs/common';
import type { LiveDelta, RunEnd } from '@app/conversations';
import { LiveFrames } from '@app/journal';
import { asId, Clock, Unavailable, type Instant, type MessageId } from '@app/kernel';
import { Probe } from '@app/runtime';
import { Configuration } from '@app/settings';
import { failedEnd } from '@app/runs';
import { v7 as uuidV7 } from 'uuid';
import type { ClaimedRun, HeldCommand, Signals } from '../run/claimed-run';
import { turnOf } from '../run/history';
import { ModelFailed } from '../models/model';
import type { Allowance, LanguageModel, ModelReply, ShowPiece, StepRequest } from '../models/model';
import { StandInCalls } from './fallback-calls';
import { Models } from '../models/models';
import { endOfTrouble, recordedStep, type StepIds } from './recorded-step';
import { ToolCalls } from './tool-calls';

type StepCommand = Extract<HeldCommand, { readonly type: 'RecordStep' | 'EndRun' }>;

/** Asks a run's model for one step: builds the request, publishes visible output as it arrives, and turns the answer into a command. */
@Injectable()
export class ModelStep {
  private readonly logger = new Logger(ModelStep.name);

  constructor(
    private readonly models: Models,
    private readonly calls: StandInCalls,
    private readonly tools: ToolCalls,
    private readonly live: LiveFrames,
    private readonly clock: Clock,
    private readonly probe: Probe,
    private readonly configuration: Configuration,
  ) {}

  /** Returns the command to append; null when a signal aborted before the model began. Throws Unavailable. */
  async ask(
    claimed: ClaimedRun,
    repairing: boolean,
    allowance: Allowance,
    signals: Signals,
  ): Promise<StepCommand | null> {
    const { run } = claimed;
    const ids = { runId: run.runId, messageId: newMessageId(), reasoningId: newMessageId() };
    let reply: ModelReply;
    try {
      this.probe.reached('model:before');
      const asked = { repairing, allowance };
      reply = await this.replyOf(claimed, asked, ids, signals.any);
      this.probe.reached('model:after');
    } catch (error) {
      return signals.any.aborted ? null : { type: 'EndRun', end: this.endOfFailure(claimed, error) };
    }
    if (reply.ending instanceof ModelFailed)
      this.logger.error({ msg: 'a model step broke off', ...claimed.names, err: reply.ending });
    await this.live.flush(run.conversationId);
    const step = recordedStep(claimed.progress, ids, withoutInvented(reply, claimed.progress.profile.tools), repairing);
    // A begun answer is billed, so it is recorded. A stopping run ends with it; otherwise the next process asks again.
    const isLeft = reply.ending === 'stopped' && !signals.stop.aborted;
    return isLeft ? { ...step, end: null } : step;
  }

  /** Publishes visible output as it arrives. Rejects as `LanguageModel.step` does. */
  private async replyOf(
    claimed: ClaimedRun,
    asked: Pick<StepRequest, 'repairing' | 'allowance'>,
    ids: StepIds,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    const { run, progress } = claimed;
    const onPiece: ShowPiece = (text, of) =>
      this.live.publish(run.conversationId, deltaOf(text, of, ids, this.clock.now()));
    const model = this.models.find(progress.profile.model);
    const request = await this.requestOf(claimed, model, asked);
    return this.calls.step(model, run, request, onPiece, signal);
  }

  private async requestOf(
    claimed: ClaimedRun,
    model: LanguageModel,
    asked: Pick<StepRequest, 'repairing' | 'allowance'>,
  ): Promise<StepRequest> {
    const { progress } = claimed;
    const { instructions, outputSchema, temperature, effort, reasoning } = progress.profile;
    const artifacts = await claimed.artifacts();
    const { turns, facts } = model.readsHistory
      ? await claimed.earlierTurns(this.configuration.env.MODEL_HISTORY_TOKENS)
      : { turns: [], facts: [] };
    return {
      instructions,
      outputSchema,
      temperature,
      effort,
      reasoning,
      ...asked,
      turn: facts.length === 0 ? turnOf(progress) : { ...turnOf(progress), facts },
      tools: this.tools.offers(progress),
      history: turns,
      artifacts,
    };
  }

  private endOfFailure(claimed: ClaimedRun, error: unknown): RunEnd {
    if (error instanceof Unavailable) throw error;
    this.logger.error({ msg: 'a model step failed', ...claimed.names, err: error });
    return error instanceof ModelFailed
      ? endOfTrouble(error.trouble)
      : failedEnd('engine_error', 'The engine could not go on.');
  }
}

/** The stored name of a tool that the run does not have. A model invents such names, so they may be words of a person, and names are clear. */
const inventedTool = 'unknown';

function withoutInvented(reply: ModelReply, tools: readonly string[]): ModelReply {
  const calls = reply.calls.map((call) => (tools.includes(call.tool) ? call : { ...call, tool: inventedTool }));
  return { ...reply, calls };
}

function newMessageId(): MessageId {
  return asId<MessageId>(uuidV7());
}

function deltaOf(
  text: string,
  of: 'text' | 'reasoning',
  { runId, messageId, reasoningId }: StepIds,
  at: Instant,
): LiveDelta {
  return of === 'text'
    ? { type: 'agent.text_delta', at, runId, messageId, text }
    : { type: 'agent.reasoning_delta', at, runId, messageId: reasoningId, text };
}
