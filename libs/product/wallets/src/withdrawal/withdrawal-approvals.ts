import { Injectable } from '@nestjs/common';
import type { ApprovalHome, ApprovalVerdict, HeldApproval } from '@app/consent';
import { Streams } from '@app/event-store';
import { because, Clock, ok, refuse, type Cause, type Result } from '@app/kernel';
import { operationKind } from '../operation/operation.stream';

/** Approvals of direct withdrawals, each in the withdrawal's own stream; only `wallets.confirmWithdrawal` approves them. */
@Injectable()
export class WithdrawalApprovals implements ApprovalHome {
  readonly category = operationKind.category;

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async decide({ approvalId, streamId }: HeldApproval, verdict: ApprovalVerdict, cause: Cause): Promise<Result<void>> {
    if (verdict.status === 'approved') return refuse(because('approval_not_pending'));
    const command = { type: 'DecideApproval', at: this.clock.now(), approvalId, verdict, decidedBy: 'user' } as const;
    const done = await this.streams.decide(operationKind, streamId, command, cause, { visible: true });
    if (!done.ok) return done;
    const decided = done.value.events.some(({ type }) => type === 'approval.decided');
    return decided ? ok(undefined) : refuse(because('approval_not_pending'));
  }

  async expire({ approvalId, streamId }: HeldApproval, cause: Cause): Promise<void> {
    const command = { type: 'ExpireApproval', at: this.clock.now(), approvalId } as const;
    const done = await this.streams.decide(operationKind, streamId, command, cause);
    if (!done.ok) throw new Error(`an expiry was refused: ${JSON.stringify(done.refusal)}`);
  }
}
