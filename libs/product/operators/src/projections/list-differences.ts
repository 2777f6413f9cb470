import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type Operator, type PageQuery } from '@app/http';
import { notFound, ok, refuse, type Result } from '@app/kernel';
import { Rebuilds } from '@app/read-store';
import type { DifferencePage } from './projections.schema';

/**
 * Returns a page of the differences between a rebuilt table and the live one, in order. Refuses with `not_found` and
 * `invalid_cursor`. @throws Unavailable
 */
export class ListDifferences extends Query<Result<DifferencePage>> {
  constructor(
    readonly operator: Operator,
    readonly rebuildId: string,
    readonly query: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListDifferences)
export class ListDifferencesHandler implements IQueryHandler<ListDifferences> {
  constructor(
    private readonly rebuilds: Rebuilds,
    private readonly cursors: Cursors,
  ) {}

  async execute({
    operator: { operatorId },
    rebuildId,
    query: { cursor, limit },
  }: ListDifferences): Promise<Result<DifferencePage>> {
    const binding = { list: 'operator.differences', userId: operatorId, filters: { rebuildId } };
    const after = this.cursors.startOf(binding, cursor);
    if (!after.ok) return after;
    if ((await this.rebuilds.find(rebuildId)) === null) return refuse(notFound);
    const rows = await this.rebuilds.differences(rebuildId, after.value ?? 0, limit + 1);
    return ok(
      pageOf(
        rows,
        limit,
        (difference) => difference,
        ({ number }) => this.cursors.mint(binding, [number]),
      ),
    );
  }
}
