import { Injectable, Logger } from '@nestjs/common';
import { ContractAuthority } from '@app/automations';
import { Budgets } from '@app/budget';
import { fingerprintOf } from '@app/canonical';
import { approvalTimer, reviewedDocument } from '@app/consent';
import { conversationKind, type OpenApproval } from '@app/conversations';
import { asId, Clock, epochMsOf, instantOf, type ApprovalId, type Instant } from '@app/kernel';
import { Configuration, unlessAborted } from '@app/runtime';
import { UserQuotas } from '@app/read-store';
import { Timers } from '@app/timers';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import { ActiveAccounts } from './active-accounts';
import type { ClaimedRun, Recording } from './claimed-run';
import type { CallApproval, JournaledCall } from './next';
import { failWith, type AskTool, type CallContext, type Reviewed, type RunContext, type ToolResult } from './tool';
import { Tools } from './tools';
import { streamName } from '@app/event-store';

/** The use of an approval may begin this long after the decision that resumed the run, even past `expiresAt`. */
const useAfterDecisionMs = 15 * 60_000;

/** The one tool whose calls a contract can cover: it does what the contract says, and nothing else. */
const coverableTool = 'intents_transfer';

/** The tool result when the user has no room for another pending approval. */
const tooManyPending = failWith('too many approvals wait for the user already: some must be decided first');

/** A call with what the user is asked about it. */
interface ReviewedCall {
  readonly call: JournaledCall;
  readonly review: Reviewed;
}

/** What a call that needs consent came to. */
export type ConsentResult =
  ToolResult | { readonly outcome: 'denied' | 'expired'; readonly result: { readonly reason: string | null } };

/** Calls that need the user's consent: asked for before, and held to it after (docs/decisions/approvals.md). */
@Injectable()
export class ConsentCalls {
  private readonly logger = new Logger(ConsentCalls.name);

  constructor(
    private readonly tools: Tools,
    private readonly timers: Timers,
    private readonly budgets: Budgets,
    private readonly accounts: ActiveAccounts,
    private readonly authority: ContractAuthority,
    private readonly quotas: UserQuotas,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  /**
   * Settles what is known of calls before they are made: those that cannot be made at all return their error; those that the contract
   * of the run's own automation covers are authorized, and the run goes on with them; only where there is none of these, the user is
   * asked for all the others, and the run is suspended, in one append. What is left is asked about in the next round. Rejects with the signal's reason when it aborts during the review.
   */
  async ask(
    claimed: ClaimedRun,
    calls: readonly JournaledCall[],
    context: RunContext,
    signal: AbortSignal,
  ): Promise<Recording> {
    const reviewed: ReviewedCall[] = [];
    for (const call of calls) {
      const review = await unlessAborted(this.review(call, { ...context, toolCallId: call.toolCallId }), signal);
      if ('ok' in review) {
        reviewed.push({ call, review });
        continue;
      }
      const recording = await claimed.record({ type: 'ReturnTool', toolCallId: call.toolCallId, ...review });
      if (recording !== 'recorded') return recording;
    }
    if (reviewed.length === 0) return 'recorded';
    const covered = await this.covered(reviewed, claimed, context);
    if (covered.length > 0) return claimed.record({ type: 'AuthorizeCalls', approvals: covered });
    const { approvals, crowdedOut } = await this.opened(reviewed, context);
    for (const { toolCallId } of crowdedOut) {
      const recording = await claimed.record({ type: 'ReturnTool', toolCallId, ...tooManyPending });
      if (recording !== 'recorded') return recording;
    }
    return approvals.length === 0 ? 'recorded' : claimed.record({ type: 'SuspendRun', approvals });
  }

  private async review(call: JournaledCall, context: CallContext): Promise<Reviewed | ToolResult> {
    const tool = this.tools.find(call.tool);
    if (tool?.consent !== 'ask') return failWith('this run has no such tool');
    const review = await tool.review(call.input, context);
    return review.ok ? review : failWith(review.error);
  }

  /**
   * Approvals to ask the user for, and the calls for which the user has too many already. Each expiry is scheduled first: a timer without its approval finds nothing to do.
   */
  private async opened(
    calls: readonly ReviewedCall[],
    context: RunContext,
  ): Promise<{ readonly approvals: readonly OpenApproval[]; readonly crowdedOut: readonly JournaledCall[] }> {
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
   * Approvals of the calls that the automation's contract covers; their uses are recorded. Which automation it is, the journal says:
   * no text and no input of a call can name another.
   */
  private async covered(
    calls: readonly ReviewedCall[],
    { run, cause }: ClaimedRun,
    context: RunContext,
  ): Promise<readonly OpenApproval[]> {
    const { automationId, userId, runId } = context;
    if (automationId === null) return [];
    const expiresAt = instantOf(this.clock.epochMs() + useAfterDecisionMs);
    const approvals: OpenApproval[] = [];
    for (const reviewed of calls) {
      const { tool, toolCallId } = reviewed.call;
      const { contract } = reviewed.review;
      if (tool !== coverableTool || contract === null) continue;
      // Named by the call, so that whoever asks again after a crash finds the use that is recorded already.
      const approvalId = asId<ApprovalId>(uuidV5(`approval/${toolCallId}`, run.runKey));
      const use = { automationId, userId, toolCallId, runId, approvalId, expiresAt, contract };
      if (await this.authority.cover(use, cause)) approvals.push(approvalFor(reviewed, context, approvalId, expiresAt));
    }
    return approvals;
  }

  /** Runs a call as far as what the user decided allows. */
  async run(
    tool: AskTool,
    call: JournaledCall,
    resumedAt: Instant | null,
    context: CallContext,
    signal: AbortSignal,
  ): Promise<ConsentResult> {
    const { approval } = call;
    switch (approval?.status) {
      case 'denied':
        return { outcome: 'denied', result: { reason: approval.denialReason } };
      case 'approved':
        return this.use(tool, call, approval, resumedAt, context, signal);
      case 'expired':
        return { outcome: 'expired', result: { reason: null } };
      case 'pending':
      case undefined:
        throw new Error(`${call.toolCallId} was to run without a decision`);
    }
  }

  /** Looks at freeze, account and contract once more; the use itself is recorded by the tool, once. */
  private async use(
    tool: AskTool,
    call: JournaledCall,
    approval: CallApproval,
    resumedAt: Instant | null,
    context: CallContext,
    signal: AbortSignal,
  ): Promise<ConsentResult> {
    const { approvalId, contract } = approval;
    const useBefore = latestUse(approval, resumedAt);
    if (this.clock.now() >= useBefore) return { outcome: 'expired', result: { reason: null } };
    if (!isAsReviewed(call, approval, context)) {
      this.logger.error(`approval ${approvalId} does not fit its fingerprint: nothing is done`);
      return failWith('the call is not what was approved');
    }
    if (!(await this.accounts.isActive(context.userId))) return failWith('the account is disabled');
    if ((await this.budgets.headroom(context.userId)).frozen) return failWith('an operator has frozen the account');
    return tool.run({ approvalId, input: call.input, contract, useBefore }, context, signal);
  }
}

function approvalFor(
  { call, review }: ReviewedCall,
  { userId, automationId }: RunContext,
  approvalId: ApprovalId,
  expiresAt: Instant,
): OpenApproval {
  const { tool, input, toolCallId } = call;
  const { walletId, contract, summary, terms } = review;
  const asked = { approvalId, kind: 'agent_tool', tool, walletId, input, contract, expiresAt } as const;
  const fingerprint = fingerprintOf(reviewedDocument({ ...asked, userId }));
  return { ...asked, fingerprint, toolCallId, automationId, summary, terms };
}

/** `expiresAt`, or 15 minutes after the decision that resumed the run, whichever is later. */
function latestUse({ expiresAt }: CallApproval, resumedAt: Instant | null): Instant {
  if (resumedAt === null) return expiresAt;
  const afterDecision = instantOf(epochMsOf(resumedAt) + useAfterDecisionMs);
  return afterDecision > expiresAt ? afterDecision : expiresAt;
}

function isAsReviewed({ tool, input }: JournaledCall, approval: CallApproval, { userId }: CallContext): boolean {
  const { approvalId, walletId, contract, expiresAt, fingerprint } = approval;
  const review = { approvalId, kind: 'agent_tool', userId, walletId, tool, input, contract, expiresAt } as const;
  return fingerprintOf(reviewedDocument(review)) === fingerprint;
}
