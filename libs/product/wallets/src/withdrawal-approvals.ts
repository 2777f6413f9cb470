import { Injectable } from '@nestjs/common';
import { Streams } from '@app/event-store';
import { because, Clock, ok, refuse, type ApprovalId, type Cause, type OperationId, type Result } from '@app/kernel';
import { operationKind } from './operation.stream';

/** The approval of a direct withdrawal, which lives in the withdrawal's own stream. */
interface WithdrawalApproval {
  readonly operationId: OperationId;
  readonly approvalId: ApprovalId;
}

/** Ends approvals of direct withdrawals; `wallets.confirmWithdrawal` is what approves them. All throw Unavailable. */
@Injectable()
export class WithdrawalApprovals {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /** Refused with `approval_not_pending` when it was decided or has expired; an expiry that nobody recorded yet is, by this. */
  async deny(
    { operationId, approvalId }: WithdrawalApproval,
    denialReason: string | null,
    cause: Cause,
  ): Promise<Result<void>> {
    const verdict = { status: 'denied', denialReason } as const;
    const command = { type: 'DecideApproval', at: this.clock.now(), approvalId, verdict, decidedBy: 'user' } as const;
    const done = await this.streams.decide(operationKind, operationId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    const decided = done.value.events.some(({ type }) => type === 'approval.decided');
    return decided ? ok(undefined) : refuse(because('approval_not_pending'));
  }

  /** Records the expiry; before its time, and for an approval that is not pending, there is nothing to record. */
  async expire({ operationId, approvalId }: WithdrawalApproval, cause: Cause): Promise<void> {
    const command = { type: 'ExpireApproval', at: this.clock.now(), approvalId } as const;
    const done = await this.streams.decide(operationKind, operationId, command, cause);
    if (!done.ok) throw new Error(`an expiry was refused: ${JSON.stringify(done.refusal)}`);
  }
}
