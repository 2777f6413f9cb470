import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { instantOf, notFound, ok, refuse, type Result } from '@app/kernel';
import { Rebuilds, type Rebuild as StoredRebuild } from '@app/read-store';
import type { Rebuild, RebuildList } from './projections.schema';

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
