import { Injectable, Logger } from '@nestjs/common';
import { Budgets } from '@app/budget';
import { fingerprintOf } from '@app/canonical';
import { reviewedDocument } from '@app/consent';
import { conversationKind, type OpenApproval } from '@app/conversations';
import { asId, Clock, epochMsOf, instantOf, type ApprovalId, type Instant } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { Timers } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import { ActiveAccounts } from './active-accounts';
import type { ClaimedRun, Recording } from './claimed-run';
import type { CallApproval, JournaledCall } from './next';
import { failed, type AskTool, type CallContext, type RunContext, type ToolResult } from './tool';
import { Tools } from './tools';

/** The use of an approval may begin this long after the decision that resumed the run, even past `expiresAt`. */
const useAfterDecisionMs = 15 * 60_000;

/** What a call that needs consent came to. */
export type ConsentResult =
  ToolResult | { readonly outcome: 'denied' | 'expired'; readonly result: { readonly reason: string | null } };

/** Calls that need the user's consent: asked for before, and held to it after (decisions.md, section 4). */
@Injectable()
export class ConsentCalls {
  private readonly logger = new Logger(ConsentCalls.name);

  constructor(
    private readonly tools: Tools,
    private readonly timers: Timers,
    private readonly budgets: Budgets,
    private readonly accounts: ActiveAccounts,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  /**
   * Opens an approval for each call that can be made at all, and suspends the run, in one append; the others return their error
   * before. Each expiry is scheduled first: a timer without its approval finds nothing to do.
   */
  async ask(claimed: ClaimedRun, calls: readonly JournaledCall[], context: RunContext): Promise<Recording> {
    const approvals: OpenApproval[] = [];
    for (const call of calls) {
      const opened = await this.review(call, { ...context, toolCallId: call.toolCallId });
      if ('approvalId' in opened) {
        approvals.push(opened);
        continue;
      }
      const recording = await claimed.record({ type: 'ReturnTool', toolCallId: call.toolCallId, ...opened });
      if (recording !== 'recorded') return recording;
    }
    if (approvals.length === 0) return 'recorded';
    const stream = `${conversationKind.category}-${context.conversationId}`;
    for (const { approvalId, expiresAt } of approvals) {
      const payload = { approvalId, stream };
      await this.timers.schedule({ id: `approval/${approvalId}`, kind: 'approval', dueAt: expiresAt, payload });
    }
    return claimed.record({ type: 'SuspendRun', approvals });
  }

  private async review(call: JournaledCall, context: CallContext): Promise<OpenApproval | ToolResult> {
    const { tool: name, input, toolCallId } = call;
    const tool = this.tools.find(name);
    if (tool?.consent !== 'ask') return failed('this run has no such tool');
    const review = await tool.review(input, context);
    if (!review.ok) return failed(review.error);
    const { walletId, contract, summary } = review;
    const approvalId = asId<ApprovalId>(uuidV7());
    const expiresAt = instantOf(this.clock.epochMs() + this.configuration.env.TOOL_APPROVAL_SECONDS * 1000);
    const asked = { approvalId, kind: 'agent_tool', tool: name, walletId, input, contract, expiresAt } as const;
    const fingerprint = fingerprintOf(reviewedDocument({ ...asked, userId: context.userId }));
    return { ...asked, fingerprint, toolCallId, automationId: null, summary };
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
      return failed('the call is not what was approved');
    }
    if (!(await this.accounts.isActive(context.userId))) return failed('the account is disabled');
    if ((await this.budgets.headroom(context.userId)).frozen) return failed('an operator has frozen the account');
    return tool.run({ approvalId, input: call.input, contract, useBefore }, context, signal);
  }
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
