import { Injectable } from '@nestjs/common';
import type { RunEnd } from '@app/conversations';
import type { SegmentEnd } from '@app/runs';
import { LiveFrames } from '@app/journal';
import { unreachable, type Cause } from '@app/kernel';
import type { ClaimedRun, Recording, Signals } from '../run/claimed-run';
import { ConsentRequests } from '../steps/consent-requests';
import type { Allowance } from '../models/model';
import { ModelStep } from '../steps/model-step';
import { next, type JournaledCall, type NextAction } from '../run/next';
import { SegmentAdmission, type Reservation } from './segment-admission';
import { ToolCalls } from '../steps/tool-calls';

/** How the execution of a segment ended in this process; `end` is the event that this process has appended. */
export type Execution =
  | { readonly kind: 'over'; readonly end: SegmentEnd; readonly cause: Cause }
  /** It was over before. */
  | { readonly kind: 'over'; readonly end: null }
  /** Another worker has it. */
  | { readonly kind: 'fenced' }
  /** The process is stopping, or the run does not exist yet: the segment waits for its next claim. */
  | { readonly kind: 'left' };

/** The interpreter of `next`: performs its actions, and appends the results (docs/decisions/runs.md, "The engine"). */
@Injectable()
export class RunSteps {
  constructor(
    private readonly model: ModelStep,
    private readonly tools: ToolCalls,
    private readonly consents: ConsentRequests,
    private readonly admission: SegmentAdmission,
    private readonly live: LiveFrames,
  ) {}

  /** Decides the next action from the run's journal and the registry of tools. */
  next(claimed: ClaimedRun): NextAction {
    return next(claimed.progress, (tool) => this.tools.needsConsent(claimed, tool));
  }

  /** Performs one action. Null when the run continues in this process. Throws Unavailable: the run is then claimed again. */
  async perform(
    claimed: ClaimedRun,
    action: NextAction,
    reservation: Reservation,
    signals: Signals,
  ): Promise<Execution | null> {
    switch (action.kind) {
      case 'run_tools':
        return afterRecording(claimed, await this.tools.run(claimed, action.calls, signals));
      case 'ask_consent':
        return this.askConsent(claimed, action.calls, signals.any);
      case 'wait':
        await this.live.flush(claimed.run.conversationId);
        return overWith(claimed);
      case 'ask_model': {
        const end = await this.admission.admitStep(claimed, reservation);
        const allowance = this.admission.allowanceOf(claimed, reservation);
        return end === null ? this.askModel(claimed, action.repairing, allowance, signals) : this.end(claimed, end);
      }
      case 'end':
        return this.end(claimed, action.end);
      default:
        return unreachable(action);
    }
  }

  private async askModel(
    claimed: ClaimedRun,
    repairing: boolean,
    allowance: Allowance,
    signals: Signals,
  ): Promise<Execution | null> {
    const command = await this.model.ask(claimed, repairing, allowance, signals);
    // The caller's loop checks which signal aborted.
    if (command === null) return null;
    if (command.type === 'EndRun') return this.end(claimed, command.end);
    const returned = await this.tools.look(claimed, command.calls, signals);
    return afterRecording(claimed, await claimed.record({ ...command, returned }));
  }

  private async askConsent(
    claimed: ClaimedRun,
    calls: readonly JournaledCall[],
    signal: AbortSignal,
  ): Promise<Execution | null> {
    try {
      return afterRecording(claimed, await this.consents.ask(claimed, calls, signal));
    } catch (error) {
      // The caller's loop checks which signal aborted.
      if (signal.aborted) return null;
      throw error;
    }
  }

  private async end(claimed: ClaimedRun, end: RunEnd): Promise<Execution> {
    await this.live.flush(claimed.run.conversationId);
    return (await claimed.record({ type: 'EndRun', end })) === 'fenced' ? { kind: 'fenced' } : overWith(claimed);
  }
}

/** Null when the run continues in this process. */
function afterRecording(claimed: ClaimedRun, recording: Recording): Execution | null {
  switch (recording) {
    case 'recorded':
      return null;
    case 'ended':
      return overWith(claimed);
    case 'stopping':
      claimed.markStopping();
      return null;
    case 'fenced':
      return { kind: 'fenced' };
    default:
      return unreachable(recording);
  }
}

/** The segment is over, by an append of this worker or of another. */
function overWith({ end, cause }: ClaimedRun): Execution {
  return end === null ? { kind: 'over', end } : { kind: 'over', end, cause };
}
