import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { approvalStatuses } from '@app/consent';
import { Cursors, pageTextOf, type TextRow } from '@app/http';
import { notFound, ok, refuse, type ApprovalId, type Result, type UserId } from '@app/kernel';
import { boundedPage, Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { KeyRing, openMembers, openTexts } from '@app/sealing';
import { ApprovalRow } from './approvals.projection';
import { Approval, personalMembers, type ApprovalView } from './approval.schema';
import type { ClosedApproval } from './approval.view';
import { ListApprovalsDto, type ApprovalFilter } from './approvals.dto';

type Places = Pick<ApprovalRow, 'stream' | 'openedRevision' | 'closedRevision'>;
/** An approval with the places of its events. */
export type SelectedApproval = ApprovalView & Places;

const selected = selectList(ApprovalRow, [...memberNames(Approval), 'stream', 'openedRevision', 'closedRevision']);

/** Single approvals of a user, from the read models. */
@Injectable()
export class SelectedApprovals {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly keys: KeyRing,
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
    const rows = await this.database.query<ClosedApproval & Places>(
      `SELECT ${selected} FROM {approvals} WHERE id = $1 AND user_id = $2`,
      [id, userId],
    );
    const [row] = await openMembers(this.keys, rows, personalMembers);
    return row ?? null;
  }
}

/** Whether it can still change: by a decision, or by the use of one that was approved. */
function canChange({ status, operationId }: ApprovalView): boolean {
  return status === 'pending' || (status === 'approved' && operationId === null);
}

/** The user's approval, no older than this query; refuses with `not_found`. @throws Unavailable when a store is away */
export class GetApproval extends Query<Result<ApprovalView>> {
  constructor(
    readonly userId: UserId,
    readonly approvalId: ApprovalId,
  ) {
    super();
  }
}

@QueryHandler(GetApproval)
class GetApprovalHandler implements IQueryHandler<GetApproval> {
  constructor(private readonly approvals: SelectedApprovals) {}

  async execute({ userId, approvalId }: GetApproval): Promise<Result<ApprovalView>> {
    const selected = await this.approvals.findAsOfNow(userId, approvalId);
    if (selected === null) return refuse(notFound);
    const { stream: _, openedRevision: __, closedRevision: ___, ...approval } = selected;
    return ok(approval);
  }
}

/**
 * A page of the user's approvals as JSON text, newest first by the position of their opening; refuses with `invalid_cursor` a cursor
 * of another list, status or user.
 */
export class ListApprovals extends Query<Result<string>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListApprovalsDto,
  ) {
    super();
  }
}

/** The members of an approval, as the API returns it. */
const members = selectList(ApprovalRow, memberNames(Approval));

@QueryHandler(ListApprovals)
class ListApprovalsHandler implements IQueryHandler<ListApprovals> {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: ListApprovals): Promise<Result<string>> {
    const { cursor, limit, status = 'pending' } = query;
    const binding = { list: 'approvals.list', userId, filters: { status } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const counters = (status === 'all' ? approvalStatuses : [status]).map((one) => `${userId}/${one}`);
    const [rows, total] = await Promise.all([
      this.rows(userId, status, before.value, limit + 1),
      this.database.counted('approvals', counters),
    ]);
    return ok(pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]), total));
  }

  private async rows(userId: UserId, status: ApprovalFilter, before: number | null, limit: number): Promise<TextRow[]> {
    const page = [userId, before ?? Number.MAX_SAFE_INTEGER, limit];
    // Two statements, so that each has an index in the order of its rows.
    const [where, preparedAs, parameters] =
      status === 'all'
        ? ['', 'approvals.list.all', page]
        : ['AND {approvals}.status = $4', 'approvals.list', [...page, status]];
    const rows = await this.database.query<TextRow>(
      boundedPage(
        `SELECT row_to_json(approval)::text AS text, opened_position AS position
         FROM {approvals} CROSS JOIN LATERAL (SELECT ${members}) AS approval
         WHERE user_id = $1 AND opened_position < $2 ${where} ORDER BY opened_position DESC LIMIT $3`,
      ),
      parameters,
      preparedAs,
    );
    return openTexts(this.keys, rows, personalMembers);
  }
}

export const approvalQueries = [GetApprovalHandler, ListApprovalsHandler];
