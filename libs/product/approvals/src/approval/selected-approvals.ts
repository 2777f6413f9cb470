import { Injectable } from '@nestjs/common';
import type { ApprovalId, UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { ApprovalRow } from './approvals.projection';
import { Approval, type ApprovalView } from './approval.schema';

/** An approval with the places of its events. */
export type SelectedApproval = ApprovalView & Pick<ApprovalRow, 'stream' | 'openedRevision' | 'closedRevision'>;

const members = selectList(ApprovalRow, [...memberNames(Approval), 'stream', 'openedRevision', 'closedRevision']);

/** Single approvals of a user, from the read models. */
@Injectable()
export class SelectedApprovals {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /** The user's approval, or null when there is none even after the read models have caught up. */
  async find(userId: UserId, id: ApprovalId): Promise<SelectedApproval | null> {
    return this.gate.find(() => this.row(userId, id));
  }

  /** Like `find`, and no older than this call: after its decision or its operation on the stream, a caller finds it here. */
  async findAsOfNow(userId: UserId, id: ApprovalId): Promise<SelectedApproval | null> {
    const approval = await this.find(userId, id);
    if (approval === null || !canChange(approval)) return approval;
    await this.gate.caughtUp();
    return this.row(userId, id);
  }

  private async row(userId: UserId, id: ApprovalId): Promise<SelectedApproval | null> {
    const [row] = await this.database.query<SelectedApproval>(
      `SELECT ${members} FROM {approvals} WHERE id = $1 AND user_id = $2`,
      [id, userId],
    );
    return row ?? null;
  }
}

/** Whether it can still change: by a decision, or by the use of one that was approved. */
function canChange({ status, operationId }: ApprovalView): boolean {
  return status === 'pending' || (status === 'approved' && operationId === null);
}
