import { Injectable } from '@nestjs/common';
import type { ApprovalVerdict } from '@app/consent';
import { Streams } from '@app/event-store';
import { because, Clock, ok, refuse, type ApprovalId, type AutomationId, type Cause, type Result } from '@app/kernel';
import { automationKind } from '../automation/automation.stream';

/** The approval of an automation's contract, which lives in the automation's own stream. */
interface ContractApproval {
  readonly automationId: AutomationId;
  readonly approvalId: ApprovalId;
}

/** Decides and ends approvals of automations' contracts: no run waits for them, so no slot is needed. All throw Unavailable. */
@Injectable()
export class AutomationApprovals {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /**
   * The user's verdict, once. Refused with `approval_not_pending` when it was decided, has expired or was superseded; an expiry that
   * nobody recorded yet is, by this.
   */
  async decide(
    { automationId, approvalId }: ContractApproval,
    verdict: ApprovalVerdict,
    cause: Cause,
  ): Promise<Result<void>> {
    const command = { type: 'DecideApproval', at: this.clock.now(), approvalId, verdict, decidedBy: 'user' } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    const decided = done.value.events.some(({ type }) => type === 'approval.decided');
    return decided ? ok(undefined) : refuse(because('approval_not_pending'));
  }

  /** Records the expiry; before its time, and for an approval that is not pending, there is nothing to record. */
  async expire({ automationId, approvalId }: ContractApproval, cause: Cause): Promise<void> {
    const command = { type: 'ExpireApproval', at: this.clock.now(), approvalId } as const;
    // A refusal is ignored: the timer may be of an automation whose creation was refused in the end.
    await this.streams.decide(automationKind, automationId, command, cause);
  }
}
