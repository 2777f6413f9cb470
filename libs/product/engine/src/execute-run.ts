import { Injectable, Logger } from '@nestjs/common';
import { Budgets } from '@app/budget';
import { abortedEnd, conversationKind, type RunEnd } from '@app/conversations';
import { EventStore, FoldedStates, Streams } from '@app/event-store';
import { LiveFrames } from '@app/journal';
import {
  asId,
  centsFromMicroCents,
  Clock,
  Unavailable,
  unreachable,
  type JsonValue,
  type MessageId,
  type ToolCallId,
} from '@app/kernel';
import { Configuration, Probe, Tracing } from '@app/runtime';
import { ExecutionSlots, failedEnd, parseOutput, type ClaimableRun } from '@app/runs';
import { v7 as uuidV7 } from 'uuid';
import { ActiveAccounts } from './active-accounts';
import { ClaimedRun, findOpenRun, type OpenRun, type Recording, type Stores } from './claimed-run';
import { turnOf } from './history';
import { ModelFailed, type LanguageModel, type ModelReply, type ModelRequest } from './model';
import { modelTroubles } from './model-troubles';
import { Models } from './models';
import { next, type JournaledCall, type NextAction } from './next';
import { LeaseRecoveries } from './lease-recoveries';
import { ModelCalls } from './model-calls';
import { ToolCalls } from './tool-calls';
import { runAttributes, traceCall, TracedSteps } from './traced-run';

/** How the execution of a segment came to an end in this process. */
export type Execution =
  | { readonly kind: 'over'; readonly position: number | null }
  /** No slot was free, or the process is to stop: the run waits for its next claim. */
  | { readonly kind: 'left' };

export interface Signals {
  /** Aborts when the run is to stop. */
  readonly stop: AbortSignal;
  /** Aborts when this process is to stop; the run is then left to another. */
  readonly shutdown: AbortSignal;
}

/** What the segment's reservation covers. */
interface Held {
  cents: number;
}

/** The interpreter of `next`: does what it says, appends what happened, and asks again (docs/decisions/runs.md, "The engine"). */
@Injectable()
export class ExecuteRun {
  private readonly logger = new Logger(ExecuteRun.name);

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
    private readonly models: Models,
    private readonly modelCalls: ModelCalls,
    private readonly recoveries: LeaseRecoveries,
    private readonly tools: ToolCalls,
    private readonly live: LiveFrames,
    private readonly accounts: ActiveAccounts,
    private readonly probe: Probe,
    private readonly tracing: Tracing,
    private readonly configuration: Configuration,
  ) {}

  /** Executes a segment until it is over, somebody else has it, or a signal says otherwise. Throws Unavailable. */
  async execute(run: ClaimableRun, signals: Signals): Promise<Execution> {
    const { streams, states, store, clock } = this;
    const stores = { streams, states, store, clock };
    const open = await findOpenRun(stores, run);
    if (open === null) return { kind: 'over', position: null };
    const traced = { kind: 'consumer', cause: open.cause.correlationId, attributes: runAttributes(run) } as const;
    return this.tracing.span('run', traced, async () => this.executeOpen(stores, open, signals));
  }

  private async executeOpen(stores: Stores, open: OpenRun, signals: Signals): Promise<Execution> {
    const { run } = open;
    const reserved = await this.budgets.reserve({ ...run, cause: open.cause }, { checked: false });
    if (!(await this.slots.acquire(run))) return { kind: 'left' };
    const claimed = await ClaimedRun.claim(stores, open);
    if (claimed === null) {
      // The segment ended while this was being held for it, and so was closed before.
      await this.slots.release(run);
      await this.budgets.release({ ...run, cause: open.cause });
      return { kind: 'over', position: null };
    }
    this.recoveries.recordClaim(open);
    const steps = new TracedSteps(this.tracing, claimed);
    try {
      const heldCents = reserved.ok ? reserved.value.heldCents : 0;
      return await this.goOn(claimed, { cents: heldCents }, steps, signals);
    } finally {
      steps.end();
    }
  }

  private async goOn(claimed: ClaimedRun, held: Held, steps: TracedSteps, signals: Signals): Promise<Execution> {
    for (;;) {
      if (signals.shutdown.aborted) return { kind: 'left' };
      if (signals.stop.aborted) claimed.markStopping();
      const action = next(claimed.progress, (tool) => this.tools.needsConsent(claimed, tool));
      const execution = await steps.within(action, async () => this.perform(claimed, action, held, signals));
      if (execution !== null) return execution;
    }
  }

  /** Does what is next; null where the run then goes on here. */
  private async perform(
    claimed: ClaimedRun,
    action: NextAction,
    held: Held,
    signals: Signals,
  ): Promise<Execution | null> {
    switch (action.kind) {
      case 'run_tools':
        return (await this.runTools(claimed, action.calls, signals)) ? null : { kind: 'over', position: null };
      case 'ask_consent':
        return this.askConsent(claimed, action.calls, signals);
      case 'wait':
        await this.live.flush(claimed.run.conversationId);
        return { kind: 'over', position: claimed.position };
      case 'ask_model': {
        const admitted = await this.admitStep(claimed, held.cents);
        if ('end' in admitted) return this.end(claimed, admitted.end);
        held.cents = admitted.heldCents;
        return this.askModel(claimed, action.repairing, signals);
      }
      case 'end':
        return this.end(claimed, action.end);
      default:
        return unreachable(action);
    }
  }

  /** What is looked at before every model step: the account, a freeze, and whether the reservation still covers it. */
  private async admitStep(claimed: ClaimedRun, heldCents: number): Promise<{ end: RunEnd } | { heldCents: number }> {
    const { run, cause, progress } = claimed;
    if (!(await this.accounts.isActive(run.userId))) {
      return { end: failedEnd('account_disabled', 'The account is disabled.') };
    }
    if ((await this.budgets.headroom(run.userId)).frozen) return { end: outOfBudget };
    if (centsFromMicroCents(progress.segmentCostMicroCents) < heldCents) return { heldCents };
    const raised = await this.budgets.raise({ ...run, cause }, { heldCents });
    return raised.ok ? raised.value : { end: outOfBudget };
  }

  /** One model step, appended whole; null where the run goes on. */
  private async askModel(claimed: ClaimedRun, repairing: boolean, signals: Signals): Promise<Execution | null> {
    const { run } = claimed;
    const messageId = asId<MessageId>(uuidV7());
    const onText = (text: string) => {
      const delta = { type: 'agent.text_delta', at: this.clock.now(), runId: run.runId, messageId, text } as const;
      this.live.publish(run.conversationId, delta);
    };
    const signal = AbortSignal.any([signals.stop, signals.shutdown]);
    let reply: ModelReply;
    try {
      this.probe.reached('model:before');
      const model = this.models.find(claimed.progress.profile.model);
      const request = await this.requestOf(claimed, model, repairing);
      reply = await this.modelCalls.step(model, run, request, onText, signal);
      this.probe.reached('model:after');
    } catch (error) {
      // Which of the two it was, the next round of the loop sees.
      if (signal.aborted) return null;
      return this.end(claimed, this.modelFailure(error));
    }
    if (reply.ending instanceof ModelFailed) this.logger.error('a model step broke off', reply.ending);
    await this.live.flush(run.conversationId);
    // What was begun is paid for and stays. A run that is to stop ends with it; any other is asked again by the next process.
    const isLeft = reply.ending === 'stopped' && !signals.stop.aborted;
    const step = stepOf(claimed, reply, messageId, repairing);
    return this.after(claimed, await claimed.record(isLeft ? { ...step, end: null } : step));
  }

  private async requestOf(claimed: ClaimedRun, model: LanguageModel, repairing: boolean): Promise<ModelRequest> {
    const { progress, run } = claimed;
    const { instructions, outputSchema } = progress.profile;
    const { state } = await this.states.current(conversationKind, run.conversationId);
    return {
      instructions,
      outputSchema,
      repairing,
      turn: turnOf(progress),
      tools: this.tools.offers(progress),
      history: model.readsHistory ? await claimed.earlierTurns(this.configuration.env.MODEL_HISTORY_TOKENS) : [],
      artifacts: state.artifacts,
    };
  }

  private modelFailure(error: unknown): RunEnd {
    if (error instanceof Unavailable) throw error;
    this.logger.error('a model step failed', error);
    return error instanceof ModelFailed
      ? failedEnd('provider_error', modelTroubles[error.trouble])
      : failedEnd('engine_error', 'The engine could not go on.');
  }

  /** Asks the user for consent to the calls; null where the run goes on. */
  private async askConsent(claimed: ClaimedRun, calls: readonly JournaledCall[], signals: Signals) {
    const signal = AbortSignal.any([signals.stop, signals.shutdown]);
    try {
      return await this.after(claimed, await this.tools.askConsent(claimed, calls, signal));
    } catch (error) {
      // Which of the two it was, the next round of the loop sees.
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Runs the open calls, side by side, and records each as it returns; false when the run is no longer this worker's. */
  private async runTools(claimed: ClaimedRun, calls: readonly JournaledCall[], signals: Signals): Promise<boolean> {
    const signal = AbortSignal.any([signals.stop, signals.shutdown]);
    const recordings = await Promise.all(
      calls.map(async (call) => {
        this.probe.reached('tool:before');
        const work = async () => this.tools.run(claimed, call, signal);
        const { outcome, result } = await traceCall(this.tracing, claimed, call, work);
        this.probe.reached('tool:after');
        if (signals.shutdown.aborted) return 'recorded' as const;
        return claimed.record({ type: 'ReturnTool', toolCallId: call.toolCallId, outcome, result });
      }),
    );
    return !recordings.includes('fenced');
  }

  private async end(claimed: ClaimedRun, end: RunEnd): Promise<Execution> {
    await this.live.flush(claimed.run.conversationId);
    await claimed.record({ type: 'EndRun', end });
    return { kind: 'over', position: claimed.position };
  }

  private async after(claimed: ClaimedRun, recording: Recording): Promise<Execution | null> {
    switch (recording) {
      case 'recorded':
        return null;
      case 'ended':
        return { kind: 'over', position: claimed.position };
      case 'stopping':
        claimed.markStopping();
        return null;
      case 'fenced':
        return { kind: 'over', position: null };
      default:
        return unreachable(recording);
    }
  }
}

const outOfBudget = failedEnd('budget_exhausted', 'The spend headroom ran out.');

function stepOf({ progress, run }: ClaimedRun, reply: ModelReply, messageId: MessageId, repairing: boolean) {
  const { text, ending, inputTokens, outputTokens, costMicroCents, estimated } = reply;
  const step = progress.steps.length + 1;
  const { outputSchema, maxSteps } = progress.profile;
  // Of an answer that broke off nobody knows which calls it was to make.
  const isUsable = ending === 'whole' || ending === 'cut';
  const calls = isUsable ? reply.calls : [];
  const isSaid = text !== null && (isUsable || text.trim() !== '');
  return {
    type: 'RecordStep',
    inputTokens,
    outputTokens,
    costMicroCents,
    estimated,
    message: isSaid ? { messageId, text, truncated: ending !== 'whole' } : null,
    calls: calls.map((call, index) => ({ toolCallId: asId<ToolCallId>(`${run.runId}/${step}/${index}`), ...call })),
    end: calls.length > 0 ? null : endOf(reply, outputSchema, !repairing && step < maxSteps),
  } as const;
}

/** The run's end, or null where the answer does not satisfy the schema and may be mended once. */
function endOf({ text, ending }: ModelReply, outputSchema: JsonValue, mayRepair: boolean): RunEnd | null {
  if (ending === 'stopped') return abortedEnd;
  if (ending instanceof ModelFailed) return failedEnd('provider_error', modelTroubles[ending.trouble]);
  const truncated = ending === 'cut';
  // What was cut is no value, even where it reads like one.
  if (truncated && outputSchema !== null) return failedEnd('output_invalid', 'The output limit cut the answer.');
  const output = parseOutput(text ?? '', outputSchema);
  const response = { text: text ?? '', truncated };
  if (output.valid) return { status: 'completed', response, output: output.value, failure: null };
  return mayRepair ? null : failedEnd('output_invalid', 'The answer does not satisfy the output schema.');
}
