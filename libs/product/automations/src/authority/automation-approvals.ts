import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { ApprovalVerdict } from '@app/consent';
import { Transact } from '@app/event-store';
import { because, Clock, ok, refuse, type ApprovalId, type AutomationId, type Cause, type Result } from '@app/kernel';
import type { AutomationCommand } from '../automation/automation.commands';
import { automationKind } from '../automation/automation.stream';

/** The approval of an automation's contract, which lives in the automation's own stream. */
interface ContractApproval {
  readonly automationId: AutomationId;
  readonly approvalId: ApprovalId;
}

/** Position of what was recorded, for the read gate; null when there was nothing to record. */
interface RecordedAt {
  readonly position: number | null;
}

/** Decides and ends approvals of automations' contracts: no run waits for them, so no slot is needed. All throw Unavailable. */
@Injectable()
export class AutomationApprovals {
  constructor(
    private readonly commands: CommandBus,
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
  ): Promise<Result<RecordedAt>> {
    const command = { type: 'DecideApproval', at: this.clock.now(), approvalId, verdict, decidedBy: 'user' } as const;
    const done = await this.transact(automationId, command, cause);
    if (!done.accepted) return refuse(done.refusal);
    const decided = done.events.some(({ type }) => type === 'approval.decided');
    return decided ? ok({ position: done.position }) : refuse(because('approval_not_pending'));
  }

  /** Records the expiry; before its time, and for an approval that is not pending, there is nothing to record. */
  async expire({ automationId, approvalId }: ContractApproval, cause: Cause): Promise<RecordedAt> {
    const done = await this.transact(automationId, { type: 'ExpireApproval', at: this.clock.now(), approvalId }, cause);
    // The timer may be of an automation whose creation was refused in the end.
    return { position: done.accepted ? done.position : null };
  }

  private async transact(automationId: AutomationId, command: AutomationCommand, cause: Cause) {
    return this.commands.execute(new Transact(automationKind, automationId, command, cause));
  }
}
