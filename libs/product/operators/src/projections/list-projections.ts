import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { instantOf } from '@app/kernel';
import { ProjectionStates } from '@app/read-store';
import type { ProjectionList } from './projections.schema';

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
