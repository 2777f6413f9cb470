import { Injectable, Logger } from '@nestjs/common';
import { Budgets } from '@app/budget';
import { fingerprintOf } from '@app/canonical';
import { reviewedDocument } from '@app/consent';
import { Clock, epochMsOf, instantOf, type Instant, type UserId } from '@app/kernel';
import type { CallApproval, JournaledCall } from './next';
import { failWith, type AskTool, type CallContext, type ToolResult } from '../tool';

/** The use of an approval may begin this long after the decision that resumed the run, even past `expiresAt`. */
export const useAfterDecisionMs = 15 * 60_000;

/** Whether a run may still continue for its user; the composition binds it to the accounts. */
export abstract class ActiveAccounts {
  /** Types of the events that change it. */
  abstract readonly changedBy: readonly string[];
  /** False once an operator has disabled the account. @throws Unavailable */
  abstract isActive(userId: UserId): Promise<boolean>;
}

/** Outcome of a call; only a call that needs consent can be denied or expire. */
export type CallOutcome =
  ToolResult | { readonly outcome: 'denied' | 'expired'; readonly result: { readonly reason: string | null } };

/** Runs calls that needed consent, exactly as the user approved them (docs/decisions/approvals.md). */
@Injectable()
export class ApprovedCalls {
  private readonly logger = new Logger(ApprovedCalls.name);

  constructor(
    private readonly budgets: Budgets,
    private readonly accounts: ActiveAccounts,
    private readonly clock: Clock,
  ) {}

  /** Runs an approved call; returns the outcome of a denied or expired one. @throws Error while no decision was made */
  async run(
    tool: AskTool,
    call: JournaledCall,
    resumedAt: Instant | null,
    context: CallContext,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
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

  /** Checks expiry, fingerprint, account and freeze again; the tool records the single use. */
  private async use(
    tool: AskTool,
    call: JournaledCall,
    approval: CallApproval,
    resumedAt: Instant | null,
    context: CallContext,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const { approvalId, contract } = approval;
    const useBefore = latestUse(approval, resumedAt);
    if (this.clock.now() >= useBefore) return { outcome: 'expired', result: { reason: null } };
    if (!isAsReviewed(call, approval, context)) {
      const { runId, conversationId, userId, cause } = context;
      const msg = 'an approval does not fit its fingerprint: nothing is done';
      this.logger.error({ msg, approvalId, runId, conversationId, userId, requestId: cause.requestId });
      return failWith('the call is not what was approved');
    }
    if (!(await this.accounts.isActive(context.userId))) return failWith('the account is disabled');
    if ((await this.budgets.headroom(context.userId)).frozen) return failWith('an operator has frozen the account');
    const decidedBy = approval.decidedBy ?? 'user';
    return tool.run({ approvalId, input: call.input, contract, decidedBy, useBefore }, context, signal);
  }
}

/** `expiresAt`, or 15 minutes after the decision that resumed the run, whichever is later. */
function latestUse({ expiresAt }: CallApproval, resumedAt: Instant | null): Instant {
  if (resumedAt === null) return expiresAt;
  const afterDecision = instantOf(epochMsOf(resumedAt) + useAfterDecisionMs);
  return afterDecision > expiresAt ? afterDecision : expiresAt;
}

function isAsReviewed({ tool, input }: JournaledCall, approval: CallApproval, { userId }: CallContext): boolean {
  const review = { ...approval, kind: 'agent_tool', userId, tool, input } as const;
  return fingerprintOf(reviewedDocument(review)) === approval.fingerprint;
}
