import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type Operator, type PageQuery } from '@app/http';
import { ok, type Result } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import type { UnresolvedOperation, UnresolvedOperationPage } from './audit.schema';
import { OperatorReads } from './operator-reads';

/** A page of all users' operations that have no end yet, newest first. The look is logged. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListUnresolved extends Query<Result<UnresolvedOperationPage>> {
  constructor(
    readonly operator: Operator,
    readonly query: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListUnresolved)
export class ListUnresolvedHandler implements IQueryHandler<ListUnresolved> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, query: { cursor, limit } }: ListUnresolved): Promise<Result<UnresolvedOperationPage>> {
    const binding = { list: 'operator.unresolved', userId: operator.operatorId, filters: {} };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    await this.reads.log(operator, { operation: 'unresolved.list' });
    await this.gate.caughtUp();
    const rows = await this.database.query<UnresolvedOperation & { readonly position: number }>(
      `SELECT id AS "operationId", user_id AS "userId", kind, status, created_at AS "createdAt", updated_at AS "updatedAt",
              opened_position AS position
       FROM {financial_operations} WHERE status IN ('submitted', 'unresolved') AND opened_position < $1
       ORDER BY opened_position DESC LIMIT $2`,
      [before.value ?? Number.MAX_SAFE_INTEGER, limit + 1],
    );
    return ok(
      pageOf(
        rows,
        limit,
        ({ position: _, ...operation }) => operation,
        ({ position }) => this.cursors.mint(binding, [position]),
      ),
    );
  }
}
