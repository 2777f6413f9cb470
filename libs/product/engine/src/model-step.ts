import { Injectable, Logger } from '@nestjs/common';
import type { RunEnd } from '@app/conversations';
import { LiveFrames } from '@app/journal';
import { asId, Clock, Unavailable, type MessageId } from '@app/kernel';
import { Configuration, Probe } from '@app/runtime';
import { failedEnd } from '@app/runs';
import { v7 as uuidV7 } from 'uuid';
import type { ClaimedRun, HeldCommand, Signals } from './claimed-run';
import { turnOf } from './history';
import { ModelFailed, type LanguageModel, type ModelReply, type ModelRequest } from './model';
import { ModelCalls } from './model-calls';
import { modelTroubles } from './model-troubles';
import { Models } from './models';
import { recordedStep } from './recorded-step';
import { ToolCalls } from './tool-calls';

type StepCommand = Extract<HeldCommand, { readonly type: 'RecordStep' | 'EndRun' }>;

/** Asks a run's model for one step: builds the request, publishes text as it arrives, and turns the answer into a command. */
@Injectable()
export class ModelStep {
  private readonly logger = new Logger(ModelStep.name);

  constructor(
    private readonly models: Models,
    private readonly calls: ModelCalls,
    private readonly tools: ToolCalls,
    private readonly live: LiveFrames,
    private readonly clock: Clock,
    private readonly probe: Probe,
    private readonly configuration: Configuration,
  ) {}

  /** Returns the command to append; null when a signal aborted before the model began. Throws Unavailable. */
  async ask(claimed: ClaimedRun, repairing: boolean, signals: Signals): Promise<StepCommand | null> {
    const { run } = claimed;
    const messageId = asId<MessageId>(uuidV7());
    let reply: ModelReply;
    try {
      this.probe.reached('model:before');
      reply = await this.replyOf(claimed, repairing, messageId, signals.any);
      this.probe.reached('model:after');
    } catch (error) {
      return signals.any.aborted ? null : { type: 'EndRun', end: this.endOfFailure(claimed, error) };
    }
    if (reply.ending instanceof ModelFailed)
      this.logger.error({ msg: 'a model step broke off', ...claimed.names, err: reply.ending });
    await this.live.flush(run.conversationId);
    const step = recordedStep(claimed.progress, { runId: run.runId, messageId }, reply, repairing);
    // A begun answer is paid for, so it is recorded. A stopping run ends with it; otherwise the next process asks again.
    const isLeft = reply.ending === 'stopped' && !signals.stop.aborted;
    return isLeft ? { ...step, end: null } : step;
  }

  /** Rejects as `LanguageModel.step` does. Publishes text as it arrives. */
  private async replyOf(
    claimed: ClaimedRun,
    repairing: boolean,
    messageId: MessageId,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    const { run, progress } = claimed;
    const onText = (text: string) => {
      const delta = { type: 'agent.text_delta', at: this.clock.now(), runId: run.runId, messageId, text } as const;
      this.live.publish(run.conversationId, delta);
    };
    const model = this.models.find(progress.profile.model);
    const request = await this.requestOf(claimed, model, repairing);
    return this.calls.step(model, run, request, onText, signal);
  }

  private async requestOf(claimed: ClaimedRun, model: LanguageModel, repairing: boolean): Promise<ModelRequest> {
    const { progress } = claimed;
    const { instructions, outputSchema } = progress.profile;
    const artifacts = await claimed.artifacts();
    return {
      instructions,
      outputSchema,
      repairing,
      turn: turnOf(progress),
      tools: this.tools.offers(progress),
      history: model.readsHistory ? await claimed.earlierTurns(this.configuration.env.MODEL_HISTORY_TOKENS) : [],
      artifacts,
    };
  }

  private endOfFailure(claimed: ClaimedRun, error: unknown): RunEnd {
    if (error instanceof Unavailable) throw error;
    this.logger.error({ msg: 'a model step failed', ...claimed.names, err: error });
    return error instanceof ModelFailed
      ? failedEnd('provider_error', modelTroubles[error.trouble])
      : failedEnd('engine_error', 'The engine could not go on.');
  }
}
