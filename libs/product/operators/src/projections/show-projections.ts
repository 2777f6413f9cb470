import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { instantOf, notFound, ok, refuse, type Result } from '@app/kernel';
import { ProjectionStates, Rebuilds, type Rebuild as StoredRebuild } from '@app/read-store';
import { Cursors, pageOf, type Operator, type PageQuery } from '@app/http';
import type { DifferencePage, ProjectionList, Rebuild, RebuildList } from './projections.schema';
import { wholeRow } from '../operator-query';

/** Returns the read models of this program, and the events that they skipped. @throws Unavailable */
export class ListProjections extends Query<ProjectionList> {}

@QueryHandler(ListProjections)
export class ListProjectionsHandler implements IQueryHandler<ListProjections> {
  constructor(private readonly states: ProjectionStates) {}

  async execute(): Promise<ProjectionList> {
    const [projections, skipped] = await Promise.all([this.states.list(), this.states.skipped()]);
    return {
      data: projections.map(({ table: _, lag, ...projection }) => ({
        ...projection,
        lag: { ...lag, seconds: Math.round(lag.seconds) },
      })),
      skipped: skipped.map(({ skippedAt, ...event }) => ({ ...event, skippedAt: instantOf(skippedAt.getTime()) })),
    };
  }
}

/** Returns the newest rebuilds. @throws Unavailable */
export class ListRebuilds extends Query<RebuildList> {}

@QueryHandler(ListRebuilds)
export class ListRebuildsHandler implements IQueryHandler<ListRebuilds> {
  constructor(private readonly rebuilds: Rebuilds) {}

  async execute(): Promise<RebuildList> {
    return { data: (await this.rebuilds.list()).map(view) };
  }
}

/** Returns one rebuild. Refuses with `not_found`. @throws Unavailable */
export class ShowRebuild extends Query<Result<Rebuild>> {
  constructor(readonly rebuildId: string) {
    super();
  }
}

@QueryHandler(ShowRebuild)
export class ShowRebuildHandler implements IQueryHandler<ShowRebuild> {
  constructor(private readonly rebuilds: Rebuilds) {}

  async execute({ rebuildId }: ShowRebuild): Promise<Result<Rebuild>> {
    const found = await this.rebuilds.find(rebuildId);
    return found === null ? refuse(notFound) : ok(view(found));
  }
}

function view({ id, table: _, isOfNewVersion, startedAt, endedAt, ...rebuild }: StoredRebuild): Rebuild {
  return {
    ...rebuild,
    rebuildId: id,
    newVersion: isOfNewVersion,
    startedAt: instantOf(startedAt.getTime()),
    endedAt: endedAt === null ? null : instantOf(endedAt.getTime()),
    eventsPerSecond: Math.round(rebuild.eventsPerSecond),
  };
}

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
    return ok(pageOf(rows, limit, wholeRow, ({ number }) => this.cursors.mint(binding, [number])));
  }
}
