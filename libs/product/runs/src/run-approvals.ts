import { Injectable } from '@nestjs/common';
import type { ApprovalHome, ApprovalVerdict, HeldApproval } from '@app/consent';
import { conversationKind, waitingApproval } from '@app/conversations';
import type { ConversationCommand, ConversationState } from '@app/conversations';
import { FoldedStates, KeyedQueue, Streams } from '@app/event-store';
import { asId, because, Clock, ok, refuse, type Cause, type Refusal, type Result } from '@app/kernel';
import { Processes, ReadGate } from '@app/read-store';
import { SegmentStart, type NewSegment, type SlotAndPlace } from './segments/segment-start';

/** Most decisions of one conversation that wait for each other in this process. */
const waitingDecisionsMax = 1_000;
/** How often a decision is tried again because others on the same run were recorded first. */
const looksMax = 16;

/** The position of a decision that was recorded. */
interface Recorded {
  readonly position: number | null;
}

/**
 * Approvals of runs' tool calls, each in its conversation's stream. Only the decision that leaves none of a run pending resumes it: it
 * takes a slot first, and is recorded only if the run continues in the same append, in this process if it has room.
 */
@Injectable()
export class RunApprovals implements ApprovalHome {
  readonly category = conversationKind.category;
  // Decisions of one conversation queue up here: the first of several takes the slot, and the others see its result.
  private readonly conversations = new KeyedQueue(waitingDecisionsMax);

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly starts: SegmentStart,
    private readonly processes: Processes,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  /** Also refused for the reasons that refuse a run's start; the approval is then still pending. */
  async decide(approval: HeldApproval, verdict: ApprovalVerdict, cause: Cause): Promise<Result<void>> {
    // The next decision need not wait until this one is visible.
    const decided = await this.conversations.run(approval.streamId, () => this.decideInTurn(approval, verdict, cause));
    if (!decided.ok) return decided;
    await this.gate.waitForProjection(decided.value.position);
    return ok(undefined);
  }

  async expire({ approvalId, streamId }: HeldApproval, cause: Cause): Promise<void> {
    const command = { type: 'ExpireApproval', at: this.clock.now(), approvalId } as const;
    const done = await this.streams.decide(conversationKind, streamId, command, cause);
    if (!done.ok) throw new Error(`an expiry was refused: ${JSON.stringify(done.refusal)}`);
  }

  private async decideInTurn(
    approval: HeldApproval,
    verdict: ApprovalVerdict,
    cause: Cause,
  ): Promise<Result<Recorded>> {
    let refusal: Refusal = because('execution_capacity');
    for (let looks = 0; looks < looksMax; looks += 1) {
      // The cached state is tried first: the append, or the refusal of the decision, shows whether it was current.
      const { state } = await (looks === 0
        ? this.states.cached(conversationKind, approval.streamId)
        : this.states.fresh(conversationKind, approval.streamId));
      const next = this.nextSegment(state, approval, cause);
      if (next !== null && !(await this.processes.workerAlive())) return refuse(because('execution_unavailable'));
      const decided = await (next === null
        ? this.record(approval, verdict, cause, null)
        : this.decideAndGoOn(approval, verdict, cause, next));
      // Without a slot: since the state was read, this has become the decision that resumes the run.
      if (decided.ok || next !== null || !isCapacity(decided.refusal)) return decided;
      refusal = decided.refusal;
    }
    return refuse(refusal);
  }

  /**
   * The segment that begins if the decision resumes the run; null if other approvals are pending, or the decision is about to be refused.
   */
  private nextSegment(
    state: ConversationState,
    { approvalId, streamId }: HeldApproval,
    cause: Cause,
  ): NewSegment | null {
    const waiting = waitingApproval(state, approvalId);
    if (waiting?.resumes !== true || state.liveRunId !== null) return null;
    if (this.clock.now() >= waiting.approval.expiresAt) return null;
    const { runId, runKey, userId, segment } = waiting.run;
    return { runId, runKey, userId, conversationId: asId(streamId), segment: segment + 1, cause };
  }

  private async decideAndGoOn(
    approval: HeldApproval,
    verdict: ApprovalVerdict,
    cause: Cause,
    next: NewSegment,
  ): Promise<Result<Recorded>> {
    const taken = await this.starts.takeSlot(next);
    if (taken.slot === 'none') {
      this.starts.uncertain(taken);
      return refuse(because('execution_capacity'));
    }
    return this.record(approval, verdict, cause, { next, taken });
  }

  private async record(
    { approvalId, streamId }: HeldApproval,
    verdict: ApprovalVerdict,
    cause: Cause,
    provided: { readonly next: NewSegment; readonly taken: SlotAndPlace } | null,
  ): Promise<Result<Recorded>> {
    const at = this.clock.now();
    const slot = provided === null ? null : { holder: provided.taken.holder };
    const command = { type: 'DecideApproval', at, approvalId, verdict, decidedBy: 'user', slot } as const;
    // A segment begins even past a cap, so its reservation is no condition and is made in parallel.
    const reserving = provided === null ? null : this.starts.reserve(provided.next);
    const done = await this.decideInConversation(streamId, command, cause, provided?.taken);
    if (provided !== null) {
      const { next, taken } = provided;
      const provision = { ...taken, reserved: await reserving };
      if (done.ok && isUsed(next, done.value.state)) await this.starts.begun(next, provision, done.value);
      else if (!isUsed(next, done.ok ? done.value.state : done.state)) await this.starts.giveBack(next, provision);
      else this.starts.uncertain(taken);
    }
    if (!done.ok) return done;
    if (done.value.events.some(({ type }) => type === 'approval.decided')) return ok({ position: done.value.position });
    // It had expired, and its expiry was recorded.
    await this.gate.waitForProjection(done.value.position);
    return refuse(because('approval_not_pending'));
  }

  /** A throw keeps slot and reservation: it is unknown whether the run continued with them, and watchdogs release them if unused. */
  private async decideInConversation(
    streamId: string,
    command: ConversationCommand,
    cause: Cause,
    taken: SlotAndPlace | undefined,
  ) {
    try {
      return await this.streams.decide(conversationKind, streamId, command, cause);
    } catch (error) {
      if (taken !== undefined) this.starts.uncertain(taken);
      throw error;
    }
  }
}

/** Whether the run executes in that segment, whichever decision resumed it: then the slot belongs to it. */
function isUsed({ runId, segment }: NewSegment, { openRuns }: ConversationState): boolean {
  const run = openRuns[runId];
  return run?.segment === segment && run.status !== 'awaiting_approval';
}

function isCapacity(refusal: Refusal): boolean {
  return refusal.kind === 'reason' && refusal.reason === 'execution_capacity';
}
