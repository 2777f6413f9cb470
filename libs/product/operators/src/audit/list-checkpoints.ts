import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { CheckpointList } from '@app/audit';
import { Cursors, pageOf, type Operator, type PageQuery } from '@app/http';
import { ok, type Result } from '@app/kernel';
import type { LogCheckpointPage } from './audit.schema';
import { OperatorReads } from '../operator-log/operator-reads';

/**
 * Returns a page of the log's checkpoints, newest first. The access is logged. Refuses with `invalid_cursor`. @throws
 * Unavailable
 */
export class ListCheckpoints extends Query<Result<LogCheckpointPage>> {
  constructor(
    readonly operator: Operator,
    readonly query: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListCheckpoints)
export class ListCheckpointsHandler implements IQueryHandler<ListCheckpoints> {
  constructor(
    private readonly checkpoints: CheckpointList,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, query: { cursor, limit } }: ListCheckpoints): Promise<Result<LogCheckpointPage>> {
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
