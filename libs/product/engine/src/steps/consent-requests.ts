import { Injectable, Logger } from '@nestjs/common';
import { ContractAuthority } from '@app/automations';
import { fingerprintOf } from '@app/canonical';
import { approvalTimer, fingerprintVersion, reviewedDocument } from '@app/consent';
import { conversationKind, type OpenApproval } from '@app/conversations';
import { streamName } from '@app/event-store';
import { asId, Clock, instantOf, type ApprovalId, type Instant } from '@app/kernel';
import { unlessAborted } from '@app/runtime';
import { Configuration } from '@app/settings';
import { UserQuotas } from '@app/quotas';
import { Timers } from '@app/timers';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import { useAfterDecisionMs } from '../run/approved-calls';
import type { ClaimedRun, Recording } from '../run/claimed-run';
import { changedNumberIn } from '../models/kept-input';
import type { JournaledCall } from '../run/next';
import { failWith, isOwnStore, type CallContext, type Reviewed, type RunContext, type ToolResult } from '../tool';
import { Tools } from '../tools';

/** The only tool whose calls a contract can cover: it does exactly what the contract says. */
const coverableTool = 'intents_transfer';

/** The tool result when the user has no room for another pending approval. */
const tooManyPending = failWith('too many approvals wait for the user already: some must be decided first');

/** A call with its review, which the user reads before deciding. */
interface ReviewedCall {
  readonly call: JournaledCall;
  readonly review: Reviewed;
}

/** Approvals to ask for, and the calls that exceed the user's quota of pending approvals. */
interface Opened {
  readonly approvals: readonly OpenApproval[];
  readonly crowdedOut: readonly JournaledCall[];
}

/** Asks the user to approve calls before they run (docs/decisions/approvals.md). */
@Injectable()
export class ConsentRequests {
  private readonly logger = new Logger(ConsentRequests.name);

  constructor(
    private readonly tools: Tools,
    private readonly timers: Timers,
    private readonly authority: ContractAuthority,
    private readonly quotas: UserQuotas,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  /**
   * Reviews the calls. Calls that cannot be made return their error. Calls that the contract of the run's own automation covers are
   * authorized, and the run continues with them. Only when none is covered, one append opens an approval for each of the others and
   * suspends the run; the remaining calls are asked for in the next round. Rejects with the signal's reason when it aborts during the
   * review. Throws Unavailable for a store of our own.
   */
  async ask(claimed: ClaimedRun, calls: readonly JournaledCall[], signal: AbortSignal): Promise<Recording> {
    try {
      return await this.settle(claimed, calls, signal);
    } catch (error) {
      if (isOwnStore(error) || signal.aborted) throw error;
      this.logger.error({ msg: 'calls could not be reviewed', ...claimed.names, err: error });
    }
    return returnAll(claimed, calls, failWith('the call could not be reviewed now'));
  }

  private async settle(claimed: ClaimedRun, calls: readonly JournaledCall[], signal: AbortSignal): Promise<Recording> {
    const reviewed: ReviewedCall[] = [];
    for (const call of calls) {
      const review = await unlessAborted(this.review(call, claimed.context), signal);
      if ('ok' in review) {
        reviewed.push({ call, review });
        continue;
      }
      const recording = await returnAll(claimed, [call], review);
      if (recording !== 'recorded') return recording;
    }
    if (reviewed.length === 0) return 'recorded';
    const covered = await this.authorize(reviewed, claimed);
    if (covered.length > 0) return claimed.record({ type: 'AuthorizeCalls', approvals: covered });
    const { approvals, crowdedOut } = await this.open(reviewed, claimed.context);
    const recording = await returnAll(claimed, crowdedOut, tooManyPending);
    if (recording !== 'recorded' || approvals.length === 0) return recording;
    return claimed.record({ type: 'SuspendRun', approvals });
  }

  private async review(call: JournaledCall, run: RunContext): Promise<Reviewed | ToolResult> {
    const tool = this.tools.find(call.tool);
    if (tool?.consent !== 'ask') return failWith('this run has no such tool');
    const changed = changedNumberIn(call.input);
    if (changed !== null) return failWith(changed);
    const context: CallContext = { ...run, toolCallId: call.toolCallId };
    const review = await tool.review(call.input, context);
    return review.ok ? review : failWith(review.error);
  }

  /** Schedules each expiry first: a timer without its approval does nothing. */
  private async open(calls: readonly ReviewedCall[], context: RunContext): Promise<Opened> {
    const expiresAt = instantOf(this.clock.epochMs() + this.configuration.env.TOOL_APPROVAL_SECONDS * 1000);
    const stream = streamName(conversationKind, context.conversationId);
    const approvals: OpenApproval[] = [];
    const crowdedOut: JournaledCall[] = [];
    for (const call of calls) {
      const approvalId = asId<ApprovalId>(uuidV7());
      if ((await this.quotas.reserve('pendingApprovals', { userId: context.userId, id: approvalId })) !== null) {
        crowdedOut.push(call.call);
        continue;
      }
      await this.timers.schedule(approvalTimer(approvalId, stream, expiresAt));
      approvals.push(approvalFor(call, context, approvalId, expiresAt));
    }
    return { approvals, crowdedOut };
  }

  /**
   * Records the uses of the calls that the automation's contract covers, and returns their approvals. The automation is the one in
   * the journal: no text and no input of a call can name another.
   */
  private async authorize(
    calls: readonly ReviewedCall[],
    { run, cause, context }: ClaimedRun,
  ): Promise<readonly OpenApproval[]> {
    const { automationId, userId, runId } = context;
    if (automationId === null) return [];
    const expiresAt = instantOf(this.clock.epochMs() + useAfterDecisionMs);
    const approvals: OpenApproval[] = [];
    for (const reviewed of calls) {
      const { tool, toolCallId } = reviewed.call;
      const { contract } = reviewed.review;
      if (tool !== coverableTool || contract === null) continue;
      // Derived from the call, so that a retry after a crash finds the use that is already recorded.
      const approvalId = asId<ApprovalId>(uuidV5(`approval/${toolCallId}`, run.runKey));
      const use = { automationId, userId, toolCallId, runId, approvalId, expiresAt, contract };
      if (await this.authority.cover(use, cause)) approvals.push(approvalFor(reviewed, context, approvalId, expiresAt));
    }
    return approvals;
  }
}

/** Returns the same result for each of the calls; stops when the run no longer continues here. */
async function returnAll(
  claimed: ClaimedRun,
  calls: readonly JournaledCall[],
  { outcome, result }: ToolResult,
): Promise<Recording> {
  for (const { toolCallId } of calls) {
    const recording = await claimed.record({ type: 'ReturnTool', toolCallId, outcome, result });
    if (recording !== 'recorded') return recording;
  }
  return 'recorded';
}

function approvalFor(
  { call, review }: ReviewedCall,
  { userId, automationId }: RunContext,
  approvalId: ApprovalId,
  expiresAt: Instant,
): OpenApproval {
  const { tool, input, toolCallId } = call;
  const { walletId, contract, summary, terms } = review;
  const reviewed = { approvalId, kind: 'agent_tool', tool, walletId, input, contract, summary, terms } as const;
  const asked = { ...reviewed, expiresAt, fingerprintVersion } as const;
  const fingerprint = fingerprintOf(reviewedDocument({ ...asked, userId }));
  return { ...asked, fingerprint, toolCallId, automationId };
}
