import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { decodeEvent, EventStore, streamName, type Recorded } from '@app/event-store';
import { notFound, ok, refuse, type OperationId, type Result, type UserId } from '@app/kernel';
import { Cursors, pageOf } from '@app/http';
import { Database, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import type { OperationEvent } from './operation.events';
import { FinancialOperation, FinancialOperationPage, type OperationView } from './operation.schema';
import { operationKind } from './operation.stream';
import { operationView } from './operation.view';
import type { OperationStatus } from './operation.state';
import { OperationRow } from './operations.projection';
import { ListOperationsDto } from './operations.dto';

/**
 * The user's operation as of now, folded from its stream exactly as the read model folds it, because after an ambiguous
 * answer a stale read would mislead. Refuses with `not_found`. @throws Unavailable
 */
export class GetFinancialOperation extends Query<Result<OperationView>> {
  constructor(
    readonly userId: UserId,
    readonly operationId: OperationId,
  ) {
    super();
  }
}

/** Events per read; nearly every operation fits into one. */
const pageEvents = 200;

@QueryHandler(GetFinancialOperation)
export class GetFinancialOperationHandler implements IQueryHandler<GetFinancialOperation> {
  constructor(private readonly store: EventStore) {}

  async execute({ userId, operationId }: GetFinancialOperation): Promise<Result<OperationView>> {
    const events = await this.read(operationId);
    const [first] = events;
    const own = first !== undefined && 'userId' in first.event && first.event.userId === userId;
    const view = own ? operationView(events) : null;
    return view === null ? refuse(notFound) : ok(view);
  }

  private async read(operationId: OperationId): Promise<Recorded<OperationEvent>[]> {
    const events: Recorded<OperationEvent>[] = [];
    for (let revision = 0; ; revision += pageEvents) {
      const page = await this.store.readStream(streamName(operationKind, operationId), revision, pageEvents);
      events.push(...page.map((stored) => decodeEvent<OperationEvent>(operationKind, stored)));
      if (page.length < pageEvents) return events;
    }
  }
}

/** Returns a page of a user's operations, in the order in which they began, newest first. Refuses with `invalid_cursor`. */
export class ListFinancialOperations extends Query<Result<FinancialOperationPage>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListOperationsDto,
  ) {
    super();
  }
}

/** A listed operation with its sort key. */
type Listed = OperationView & Pick<OperationRow, 'openedPosition'>;

const members = selectList(OperationRow, [...memberNames(FinancialOperation), 'openedPosition']);

@QueryHandler(ListFinancialOperations)
export class ListFinancialOperationsHandler implements IQueryHandler<ListFinancialOperations> {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: ListFinancialOperations): Promise<Result<FinancialOperationPage>> {
    const { cursor, limit } = query;
    const status = query.status ?? null;
    const binding = { list: 'financialOperations.list', userId, filters: { status } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const [rows, total] = await Promise.all([
      this.rows(userId, status, before.value, limit + 1),
      this.total(userId, status),
    ]);
    const page = pageOf(
      rows,
      limit,
      ({ openedPosition: _, ...operation }) => operation,
      (row) => this.cursors.mint(binding, [row.openedPosition]),
    );
    return ok({ ...page, total });
  }

  private async rows(
    userId: UserId,
    status: OperationStatus | null,
    before: number | null,
    limit: number,
  ): Promise<Listed[]> {
    return this.database.query<Listed>(
      `SELECT ${members} FROM {financial_operations}
       WHERE user_id = $1 AND ($2::text IS NULL OR status = $2) AND opened_position < $3
       ORDER BY opened_position DESC LIMIT $4`,
      [userId, status, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
  }

  /** Number of operations in the list, from maintained counters. */
  private async total(userId: UserId, status: OperationStatus | null): Promise<number> {
    const counted = status === null ? userId : `${userId}/${status}`;
    const [row] = await this.database.query<{ total: number }>(
      `SELECT total FROM list_counters WHERE name = '{financial_operations}/' || $1`,
      [counted],
    );
    return row?.total ?? 0;
  }
}
