import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { asId, notFound, ok, refuse } from '@app/kernel';
import type { ApprovalId, Personal, Result, UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { GetReceipt, type Receipt } from '@app/receipts';
import { KeyRing, openMembers } from '@app/sealing';
import type { ListOperatedApprovalsDto, OperatedApproval, OperatedApprovalPage } from './approvals.schema';
import { OperatorReads } from '../operator-log/operator-reads';
import { OperatorQuery, withoutPosition } from '../operator-query';

const selected = `
  SELECT id AS "approvalId", user_id AS "userId", kind, tool, status, opened_at AS "openedAt", expires_at AS "expiresAt",
         decided_at AS "decidedAt", decided_by AS "decidedBy", denial_reason AS "denialReason", ended_reason AS "endedReason",
         conversation_id AS "conversationId", run_id AS "runId", operation_id AS "operationId", automation_id AS "automationId",
         stream, fingerprint, summary, terms, contract`;

const personalMembers = ['denialReason', 'summary', 'terms'] as const;
/** A row before its words are opened. */
type ClosedRow = {
  readonly [Member in keyof OperatedApproval]: Member extends (typeof personalMembers)[number]
    ? Personal<OperatedApproval[Member]>
    : OperatedApproval[Member];
};

/** Returns a page of a user's approvals, newest first; logged. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListOperatedApprovals extends OperatorQuery<ListOperatedApprovalsDto, OperatedApprovalPage> {}

@QueryHandler(ListOperatedApprovals)
export class ListOperatedApprovalsHandler implements IQueryHandler<ListOperatedApprovals> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly keys: KeyRing,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, asked: query }: ListOperatedApprovals): Promise<Result<OperatedApprovalPage>> {
    const { cursor, limit, user, status = 'all' } = query;
    const binding = { list: 'operator.approvals', userId: operator.operatorId, filters: { user, status } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    await this.reads.log(operator, { operation: 'approvals.list', target: user, parameters: { status } });
    await this.gate.caughtUp();
    const rows = await this.database.query<ClosedRow & { readonly position: number }>(
      `${selected}, opened_position AS position FROM {approvals}
       WHERE user_id = $1 AND opened_position < $2 ${status === 'all' ? '' : 'AND status = $4'}
       ORDER BY opened_position DESC LIMIT $3`,
      [user, before.value ?? Number.MAX_SAFE_INTEGER, limit + 1, ...(status === 'all' ? [] : [status])],
    );
    const opened = await openMembers(this.keys, rows, personalMembers);
    return ok(pageOf(opened, limit, withoutPosition, ({ position }) => this.cursors.mint(binding, [position])));
  }
}

/** Returns an approval by its id alone. The access is logged. Refuses with `not_found`. @throws Unavailable */
export class ShowApproval extends OperatorQuery<ApprovalId, OperatedApproval> {}

@QueryHandler(ShowApproval)
export class ShowApprovalHandler implements IQueryHandler<ShowApproval> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly keys: KeyRing,
    private readonly reads: OperatorReads,
  ) {}

  async execute({ operator, asked: approvalId }: ShowApproval): Promise<Result<OperatedApproval>> {
    await this.reads.log(operator, { operation: 'approvals.show', target: approvalId });
    await this.gate.caughtUp();
    const rows = await this.database.query<ClosedRow>(`${selected} FROM {approvals} WHERE id = $1`, [approvalId]);
    const [row] = await openMembers(this.keys, rows, personalMembers);
    return row === undefined ? refuse(notFound) : ok(row);
  }
}

/** Returns the receipt of an approval by its id alone; logged. Refuses with `not_found`. @throws Unavailable */
export class ReadOperatedReceipt extends OperatorQuery<ApprovalId, Receipt> {}

@QueryHandler(ReadOperatedReceipt)
export class ReadOperatedReceiptHandler implements IQueryHandler<ReadOperatedReceipt> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly reads: OperatorReads,
    private readonly queries: QueryBus,
  ) {}

  async execute({ operator, asked: approvalId }: ReadOperatedReceipt): Promise<Result<Receipt>> {
    await this.reads.log(operator, { operation: 'approvals.receipt', target: approvalId });
    const owner = await this.gate.find(async () => {
      const [row] = await this.database.query<{ userId: string }>(
        'SELECT user_id AS "userId" FROM {approvals} WHERE id = $1',
        [approvalId],
      );
      return row ?? null;
    });
    if (owner === null) return refuse(notFound);
    return this.queries.execute(new GetReceipt(asId<UserId>(owner.userId), approvalId));
  }
}
