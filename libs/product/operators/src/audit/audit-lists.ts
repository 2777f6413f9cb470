import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { CheckpointList } from '@app/audit';
import { Cursors, pageOf, type PageQuery } from '@app/http';
import { ok, type Personal, type Result } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { KeyRing, openMembers } from '@app/sealing';
import type { LogCheckpointPage, UnresolvedOperation, UnresolvedOperationPage } from './audit.schema';
import { OperatorReads } from '../operator-log/operator-reads';
import { OperatorQuery, withoutPosition } from '../operator-query';

/** Returns a page of the log's checkpoints, newest first; logged. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListCheckpoints extends OperatorQuery<PageQuery, LogCheckpointPage> {}

@QueryHandler(ListCheckpoints)
export class ListCheckpointsHandler implements IQueryHandler<ListCheckpoints> {
  constructor(
    private readonly checkpoints: CheckpointList,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, asked: { cursor, limit } }: ListCheckpoints): Promise<Result<LogCheckpointPage>> {
    const binding = { list: 'operator.checkpoints', userId: operator.operatorId, filters: {} };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    await this.reads.log(operator, { operation: 'checkpoints.list' });
    const found = await this.checkpoints.list(before.value, limit + 1);
    return ok(
      pageOf(
        found,
        limit,
        ({ revision: _, ...checkpoint }) => checkpoint,
        ({ revision }) => this.cursors.mint(binding, [revision]),
      ),
    );
  }
}

type Found = Omit<UnresolvedOperation, 'subject'> & {
  readonly subject: Personal<string | null>;
  readonly position: number;
};

/** Returns a page of all users' unfinished operations, newest first; logged. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListUnresolved extends OperatorQuery<PageQuery, UnresolvedOperationPage> {}

@QueryHandler(ListUnresolved)
export class ListUnresolvedHandler implements IQueryHandler<ListUnresolved> {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly gate: ReadGate,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, asked: { cursor, limit } }: ListUnresolved): Promise<Result<UnresolvedOperationPage>> {
    const binding = { list: 'operator.unresolved', userId: operator.operatorId, filters: {} };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    await this.reads.log(operator, { operation: 'unresolved.list' });
    await this.gate.caughtUp();
    const rows = await this.database.query<Found>(
      `SELECT o.id AS "operationId", o.user_id AS "userId", o.kind, o.status, u.subject, a.index AS action,
              jsonb_array_length(o.actions) AS actions, coalesce(a.input, a.bound) ->> 'tokenId' AS "tokenId",
              a.input ->> 'amountRaw' AS "amountRaw", a.reference AS "providerReference",
              o.created_at AS "createdAt", o.updated_at AS "updatedAt", o.opened_position AS position
       FROM {financial_operations} AS o LEFT JOIN {users} AS u ON u.user_id = o.user_id CROSS JOIN LATERAL (
         SELECT (one.value ->> 'index')::integer AS index, nullif(one.value -> 'input', 'null') AS input,
                o.contract #> ARRAY['actions', one.value ->> 'index', 'input', 'pinned'] AS bound,
                one.value ->> 'providerReference' AS reference
         FROM jsonb_array_elements(o.actions) AS one
         ORDER BY one.value ->> 'status' = 'submitted' DESC, one.value ->> 'status' = 'pending' DESC, 1 LIMIT 1) AS a
       WHERE o.status IN ('submitted', 'unresolved') AND o.opened_position < $1
       ORDER BY o.opened_position DESC LIMIT $2`,
      [before.value ?? Number.MAX_SAFE_INTEGER, limit + 1],
    );
    const opened = await openMembers(this.keys, rows, ['subject']);
    return ok(pageOf(opened, limit, withoutPosition, ({ position }) => this.cursors.mint(binding, [position])));
  }
}
