import { Injectable } from '@nestjs/common';
import { AutomationApprovals } from '@app/automations';
import type { ApprovalVerdict } from '@app/consent';
import { conversationKind, waitingApproval, type ConversationState, type RunState } from '@app/conversations';
import { FoldedStates, KeyedQueue, Streams } from '@app/event-store';
import {
  asId,
  because,
  Clock,
  invalid,
  notFound,
  ok,
  refuse,
  type ApprovalId,
  type AutomationId,
  type Cause,
  type ConversationId,
  type OperationId,
  type Refusal,
  type Result,
  type UserId,
} from '@app/kernel';
import { Processes, ReadGate } from '@app/read-store';
import { ExecutionSlots } from '@app/runs';
import { WithdrawalApprovals } from '@app/wallets';
import type { Decided } from './approval.schema';
import { ApprovalQueries, type SelectedApproval } from './approvals.queries';

/** Decisions of one conversation that may wait for each other in this process. */
const waitingDecisionsMax = 1_000;
/** How often a decision is looked at anew because others on the same run came in between. */
const looksMax = 16;

interface Decider {
  readonly userId: UserId;
  readonly cause: Cause;
}

interface RunDecision {
  readonly approvalId: ApprovalId;
  readonly conversationId: ConversationId;
  readonly verdict: ApprovalVerdict;
  readonly cause: Cause;
}

/** The position of a decision that was recorded. */
interface Recorded {
  readonly position: number | null;
}

/** The execution slot of the segment in which a run goes on. */
type Slot = Pick<RunState, 'runId' | 'runKey' | 'userId' | 'segment'>;

/**
 * The user's decision on an approval (docs/decisions/approvals.md). Of a run's approvals only the decision that leaves none pending
 * resumes it: that one takes a slot first, and is recorded only if the run goes on in the same append. That of an automation's
 * contract lives in the automation's stream, and no run waits for it.
 * Every call throws Unavailable when a store is away; then the client reads what was recorded.
 */
@Injectable()
export class DecideApproval {
  // Decisions of one conversation queue up here: of many at once the first takes the slot, and the rest see what it did.
  private readonly conversations = new KeyedQueue(waitingDecisionsMax);

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly queries: ApprovalQueries,
    private readonly slots: ExecutionSlots,
    private readonly processes: Processes,
    private readonly withdrawals: WithdrawalApprovals,
    private readonly automations: AutomationApprovals,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  /** Refused with `invalid_input` at `/fingerprint` unless that is the approval's; a withdrawal is confirmed, never approved here. */
  async approve({ userId, cause }: Decider, approvalId: ApprovalId, fingerprint: string): Promise<Result<Decided>> {
    const approval = await this.queries.find(userId, approvalId);
    if (approval === null) return refuse(notFound);
    if (approval.fingerprint !== fingerprint) return refuse(invalid('/fingerprint', "is not the approval's"));
    if (approval.kind === 'withdrawal') return refuse(because('approval_not_pending'));
    return this.decideWhereItLives(approval, { status: 'approved' }, cause);
  }

  /** The run goes on without the call's result; of a withdrawal, the operation is over. */
  async deny({ userId, cause }: Decider, approvalId: ApprovalId, reason: string | null): Promise<Result<Decided>> {
    const approval = await this.queries.find(userId, approvalId);
    if (approval === null) return refuse(notFound);
    if (approval.kind === 'withdrawal') return this.denyWithdrawal(approval, reason, cause);
    return this.decideWhereItLives(approval, { status: 'denied', denialReason: reason }, cause);
  }

  private async decideWhereItLives(
    { id, kind, conversationId, automationId }: SelectedApproval,
    verdict: ApprovalVerdict,
    cause: Cause,
  ): Promise<Result<Decided>> {
    const approvalId = asId<ApprovalId>(id);
    if (kind !== 'automation_contract' && conversationId !== null)
      return this.inConversation(approvalId, conversationId, verdict, cause);
    if (automationId === null) throw new Error('an approval that is neither of a conversation nor of an automation');
    const own = { automationId: asId<AutomationId>(automationId), approvalId };
    const decided = await this.automations.decide(own, verdict, cause);
    return decided.ok ? ok({ decided: true }) : decided;
  }

  private async denyWithdrawal(
    { id, operationId }: SelectedApproval,
    reason: string | null,
    cause: Cause,
  ): Promise<Result<Decided>> {
    if (operationId === null) throw new Error('an approval that is neither of a conversation nor of an operation');
    const own = { operationId: asId<OperationId>(operationId), approvalId: asId<ApprovalId>(id) };
    const denied = await this.withdrawals.deny(own, reason, cause);
    return denied.ok ? ok({ decided: true }) : denied;
  }

  private async inConversation(
    approvalId: ApprovalId,
    conversationId: string,
    verdict: ApprovalVerdict,
    cause: Cause,
  ): Promise<Result<Decided>> {
    const decision = { approvalId, conversationId: asId<ConversationId>(conversationId), verdict, cause };
    const decided = await this.conversations.run(conversationId, () => this.decide(decision));
    if (!decided.ok) return decided;
    await this.gate.waitForProjection(decided.value.position);
    return ok({ decided: true });
  }

  private async decide(decision: RunDecision): Promise<Result<Recorded>> {
    let refusal: Refusal = because('execution_capacity');
    for (let looks = 0; looks < looksMax; looks += 1) {
      const { state } = await this.states.current(conversationKind, decision.conversationId);
      const slot = await this.slotFor(state, decision.approvalId);
      if (!slot.ok) return slot;
      const decided = await this.record(decision, slot.value);
      // Without a slot that means: since the look this has become the decision that resumes the run.
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
    return (await this.slots.take(slot)) ? ok(slot) : refuse(because('execution_capacity'));
  }

  private async record(
    { approvalId, conversationId, verdict, cause }: RunDecision,
    slot: Slot | null,
  ): Promise<Result<Recorded>> {
    const at = this.clock.now();
    const holdsSlot = slot !== null;
    const command = { type: 'DecideApproval', at, approvalId, verdict, decidedBy: 'user', holdsSlot } as const;
    // A throw leaves the slot: whether the run went on with it is not known, and the watchdog gives back what is not used.
    const done = await this.streams.decide(conversationKind, conversationId, command, cause);
    if (slot !== null && !isUsed(slot, done.ok ? done.value.state : done.state)) await this.slots.release(slot);
    if (!done.ok) return refuse(done.refusal);
    if (done.value.events.some(({ type }) => type === 'approval.decided')) return ok({ position: done.value.position });
    // Its time was over, and that is what was recorded.
    await this.gate.waitForProjection(done.value.position);
    return refuse(because('approval_not_pending'));
  }
}

/** Whether the run executes in that segment, by whoever's decision: then the slot is its own. */
function isUsed({ runId, segment }: Slot, { openRuns }: ConversationState): boolean {
  const run = openRuns[runId];
  return run?.segment === segment && run.status !== 'awaiting_approval';
}

function isCapacity(refusal: Refusal): boolean {
  return refusal.kind === 'reason' && refusal.reason === 'execution_capacity';
}
