import { Injectable } from '@nestjs/common';
import { approvalStatuses } from '@app/consent';
import type { ApprovalId, UserId } from '@app/kernel';
import type { TextRow } from '@app/http';
import { boundedPage, Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { ApprovalRow } from './approvals.projection';
import { Approval, type ApprovalView } from './approval.schema';

export const approvalFilters = [...approvalStatuses, 'all'] as const;
export type ApprovalFilter = (typeof approvalFilters)[number];

/** An approval with the places of its events. */
export type SelectedApproval = ApprovalView & Pick<ApprovalRow, 'stream' | 'openedRevision' | 'closedRevision'>;

/** The members of an approval, as the API answers it. */
const members = selectList(ApprovalRow, memberNames(Approval));
const places = selectList(ApprovalRow, ['stream', 'openedRevision', 'closedRevision']);

/** What is read of approvals in PostgreSQL. */
@Injectable()
export class ApprovalQueries {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /** Approvals of a user as JSON text, newest first by the position of their opening, strictly before a sort key. */
  async list(userId: UserId, status: ApprovalFilter, before: number | null, limit: number): Promise<TextRow[]> {
    const page = [userId, before ?? Number.MAX_SAFE_INTEGER, limit];
    // Two statements, so that each has an index that gives its rows in order.
    const [where, preparedAs, parameters] =
      status === 'all'
        ? ['', 'approvals.list.all', page]
        : ['AND approvals.status = $4', 'approvals.list', [...page, status]];
    return this.database.query<TextRow>(
      boundedPage(
        `SELECT row_to_json(approval)::text AS text, opened_position AS position
         FROM approvals CROSS JOIN LATERAL (SELECT ${members}) AS approval
         WHERE user_id = $1 AND opened_position < $2 ${where} ORDER BY opened_position DESC LIMIT $3`,
      ),
      parameters,
      preparedAs,
    );
  }

  /** How many approvals the list has, from kept counters. */
  async total(userId: UserId, status: ApprovalFilter): Promise<number> {
    const names = (status === 'all' ? approvalStatuses : [status]).map((one) => `approvals/${userId}/${one}`);
    const [row] = await this.database.query<{ total: number }>(
      'SELECT coalesce(sum(total), 0)::bigint AS total FROM list_counters WHERE name = ANY($1)',
      [names],
      'approvals.total',
    );
    return row?.total ?? 0;
  }

  /** The user's approval, or null when there is none even after the read models have caught up. */
  async find(userId: UserId, id: ApprovalId): Promise<SelectedApproval | null> {
    return this.gate.find(() => this.row(userId, id));
  }

  /** As `find`, and no older than this call: who has seen its decision or its operation on the stream finds it here. */
  async findAsOfNow(userId: UserId, id: ApprovalId): Promise<SelectedApproval | null> {
    const approval = await this.find(userId, id);
    if (approval === null || !canChange(approval)) return approval;
    await this.gate.caughtUp();
    return this.row(userId, id);
  }

  /** Revisions of what was copied of an operation into its conversation, oldest first. */
  async copies(operationId: string): Promise<number[]> {
    const rows = await this.database.query<{ revision: number }>(
      'SELECT revision FROM operation_copies WHERE copy_key = ANY($1) ORDER BY revision',
      [[`${operationId}/operation.submitted`, `${operationId}/settlement.updated`]],
    );
    return rows.map(({ revision }) => revision);
  }

  private async row(userId: UserId, id: ApprovalId): Promise<SelectedApproval | null> {
    const [row] = await this.database.query<SelectedApproval>(
      `SELECT ${members}, ${places} FROM approvals WHERE id = $1 AND user_id = $2`,
      [id, userId],
    );
    return row ?? null;
  }
}

/** Whether more can become of it: a decision, or the use of one that was approved. */
function canChange({ status, operationId }: ApprovalView): boolean {
  return status === 'pending' || (status === 'approved' && operationId === null);
}

/** The public form of a selected approval. */
export function approvalView(selected: SelectedApproval): ApprovalView {
  const { stream: _, openedRevision: __, closedRevision: ___, ...approval } = selected;
  return approval;
}
