import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { FoldedStates, Transact } from '@app/event-store';
import {
  because,
  Clock,
  notFound,
  ok,
  refuse,
  type Cause,
  type Instant,
  type OperationId,
  type Result,
} from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { operationKind } from './operation.stream';

/**
 * Ends the approvals of direct withdrawals, which live in the withdrawals' own streams; `wallets.confirmWithdrawal` is what approves
 * them. All throw Unavailable when the event store does not answer.
 */
@Injectable()
export class WithdrawalApprovals {
  constructor(
    private readonly commands: CommandBus,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  /** Refused with `approval_not_pending` when it was decided or has expired; an expiry that nobody has recorded yet is recorded. */
  async deny(operationId: OperationId, denialReason: string | null, cause: Cause): Promise<Result<void>> {
    const approvalId = await this.approvalOf(operationId);
    if (approvalId === null) return refuse(notFound);
    const verdict = { status: 'denied', denialReason } as const;
    const command = { type: 'DecideApproval', at: this.clock.now(), approvalId, verdict, decidedBy: 'user' } as const;
    const done = await this.commands.execute(new Transact(operationKind, operationId, command, cause));
    if (!done.accepted) return refuse(done.refusal);
    await this.gate.passed(done.position);
    const decided = done.events.some(({ type }) => type === 'approval.decided');
    return decided ? ok(undefined) : refuse(because('approval_not_pending'));
  }

  /** Records the expiry; before its time, and for an approval that is not pending, there is nothing to record. */
  async expire(operationId: OperationId, at: Instant, cause: Cause): Promise<void> {
    const approvalId = await this.approvalOf(operationId);
    if (approvalId === null) return;
    const command = { type: 'ExpireApproval', at, approvalId } as const;
    await this.commands.execute(new Transact(operationKind, operationId, command, cause));
  }

  private async approvalOf(operationId: OperationId) {
    return (await this.states.current(operationKind, operationId)).state?.approval?.approvalId ?? null;
  }
}
