import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Transact } from '@app/event-store';
import { because, Clock, ok, refuse, type ApprovalId, type Cause, type OperationId, type Result } from '@app/kernel';
import type { OperationCommand } from './operation.decider';
import { operationKind } from './operation.stream';

/** The approval of a direct withdrawal, which lives in the withdrawal's own stream. */
interface WithdrawalApproval {
  readonly operationId: OperationId;
  readonly approvalId: ApprovalId;
}

/** Position of what was recorded, for the read gate; null when there was nothing to record. */
interface RecordedAt {
  readonly position: number | null;
}

/** Ends approvals of direct withdrawals; `wallets.confirmWithdrawal` is what approves them. All throw Unavailable. */
@Injectable()
export class WithdrawalApprovals {
  constructor(
    private readonly commands: CommandBus,
    private readonly clock: Clock,
  ) {}

  /** Refused with `approval_not_pending` when it was decided or has expired; an expiry that nobody recorded yet is, by this. */
  async deny(
    { operationId, approvalId }: WithdrawalApproval,
    denialReason: string | null,
    cause: Cause,
  ): Promise<Result<RecordedAt>> {
    const verdict = { status: 'denied', denialReason } as const;
    const command = { type: 'DecideApproval', at: this.clock.now(), approvalId, verdict, decidedBy: 'user' } as const;
    const done = await this.transact(operationId, command, cause);
    if (!done.accepted) return refuse(done.refusal);
    const decided = done.events.some(({ type }) => type === 'approval.decided');
    return decided ? ok({ position: done.position }) : refuse(because('approval_not_pending'));
  }

  /** Records the expiry; before its time, and for an approval that is not pending, there is nothing to record. */
  async expire({ operationId, approvalId }: WithdrawalApproval, cause: Cause): Promise<RecordedAt> {
    const done = await this.transact(operationId, { type: 'ExpireApproval', at: this.clock.now(), approvalId }, cause);
    if (!done.accepted) throw new Error(`an expiry was refused: ${JSON.stringify(done.refusal)}`);
    return { position: done.position };
  }

  private async transact(operationId: OperationId, command: OperationCommand, cause: Cause) {
    return this.commands.execute(new Transact(operationKind, operationId, command, cause));
  }
}
