import { Injectable } from '@nestjs/common';
import type { ApprovalHome, ApprovalVerdict, HeldApproval } from '@app/consent';
import { Streams } from '@app/event-store';
import { because, Clock, ok, refuse, type Cause, type Result } from '@app/kernel';
import { automationKind } from '../automation/automation.stream';

/** Approvals of automations' contracts, each in the automation's own stream: no run waits for them, so no slot is needed. */
@Injectable()
export class AutomationApprovals implements ApprovalHome {
  readonly category = automationKind.category;

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /** Refuses with `approval_not_pending` also where the approval was superseded. */
  async decide({ approvalId, streamId }: HeldApproval, verdict: ApprovalVerdict, cause: Cause): Promise<Result<void>> {
    const command = { type: 'DecideApproval', at: this.clock.now(), approvalId, verdict, decidedBy: 'user' } as const;
    const done = await this.streams.decide(automationKind, streamId, command, cause, { visible: true });
    if (!done.ok) return done;
    const decided = done.value.events.some(({ type }) => type === 'approval.decided');
    return decided ? ok(undefined) : refuse(because('approval_not_pending'));
  }

  async expire({ approvalId, streamId }: HeldApproval, cause: Cause): Promise<void> {
    const command = { type: 'ExpireApproval', at: this.clock.now(), approvalId } as const;
    // A refusal is ignored, because the creation of the timer's automation may have been refused.
    await this.streams.decide(automationKind, streamId, command, cause);
  }
}
