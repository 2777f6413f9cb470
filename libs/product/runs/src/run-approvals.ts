import { Injectable } from '@nestjs/common';
import type { ApprovalHome, ApprovalVerdict, HeldApproval } from '@app/consent';
import { conversationKind, waitingApproval, type ConversationState, type RunState } from '@app/conversations';
import { FoldedStates, KeyedQueue, Streams } from '@app/event-store';
import { because, Clock, ok, refuse, type ApprovalId, type Cause, type Refusal, type Result } from '@app/kernel';
import { Processes, ReadGate } from '@app/read-store';
import { ExecutionSlots } from './execution-slots';

/** Decisions of one conversation that may wait for each other in this process. */
const waitingDecisionsMax = 1_000;
/** How often a decision is tried again because others on the same run came first. */
const looksMax = 16;

/** The position of a decision that was recorded. */
interface Recorded {
  readonly position: number | null;
}

/** The execution slot of the segment in which a run goes on. */
type Slot = Pick<RunState, 'runId' | 'runKey' | 'userId' | 'segment'>;

/**
 * Approvals of runs' tool calls, each in its conversation's stream. Only the decision that leaves none of a run pending resumes it:
 * that one takes a slot first, and is recorded only if the run goes on in the same append.
 */
@Injectable()
export class RunApprovals implements ApprovalHome {
  readonly category = conversationKind.category;
  // Decisions of one conversation queue up here: of many at once the first takes the slot, and the rest see what it did.
  private readonly conversations = new KeyedQueue(waitingDecisionsMax);

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly slots: ExecutionSlots,
    private readonly processes: Processes,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  /** Also refused for what a run's start is refused for; the approval is pending then. */
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
      const { state } = await this.states.current(conversationKind, approval.streamId);
      const slot = await this.slotFor(state, approval.approvalId);
      if (!slot.ok) return slot;
      const decided = await this.record(approval, verdict, cause, slot.value);
      // Without a slot, this has become the decision that resumes the run since it was looked at.
      if (decided.ok || slot.value !== null || !isCapacity(decided.refusal)) return decided;
      refusal = decided.refusal;
    }
    return refuse(refusal);
  }

  /** A slot where the decision would resume the run; none where it only waits for others, or is about to be refused. */
  private async slotFor(state: ConversationState, approvalId: ApprovalId): Promise<Result<Slot | null>> {
    const waiting = waitingApproval(state, approvalId);
    if (waiting?.resumes !== true || state.liveRunId !== null) return ok(null);
    if (this.clock.now() >= waiting.approval.expiresAt) return ok(null);
    if (!(await this.processes.workerAlive())) return refuse(because('execution_unavailable'));
    const { runId, runKey, userId, segment } = waiting.run;
    const slot = { runId, runKey, userId, segment: segment + 1 };
    return (await this.slots.acquire(slot)) ? ok(slot) : refuse(because('execution_capacity'));
  }

  private async record(
    { approvalId, streamId }: HeldApproval,
    verdict: ApprovalVerdict,
    cause: Cause,
    slot: Slot | null,
  ): Promise<Result<Recorded>> {
    const at = this.clock.now();
    const holdsSlot = slot !== null;
    const command = { type: 'DecideApproval', at, approvalId, verdict, decidedBy: 'user', holdsSlot } as const;
    // A throw leaves the slot: whether the run went on with it is not known, and the watchdog gives back what is not used.
    const done = await this.streams.decide(conversationKind, streamId, command, cause);
    if (slot !== null && !isUsed(slot, done.ok ? done.value.state : done.state)) await this.slots.release(slot);
    if (!done.ok) return done;
    if (done.value.events.some(({ type }) => type === 'approval.decided')) return ok({ position: done.value.position });
    // Its time was over, and that is what was recorded.
    await this.gate.waitForProjection(done.value.position);
    return refuse(because('approval_not_pending'));
  }
}

/** Whether the run executes in that segment, resumed by any decision: then the slot belongs to it. */
function isUsed({ runId, segment }: Slot, { openRuns }: ConversationState): boolean {
  const run = openRuns[runId];
  return run?.segment === segment && run.status !== 'awaiting_approval';
}

function isCapacity(refusal: Refusal): boolean {
  return refusal.kind === 'reason' && refusal.reason === 'execution_capacity';
}
