import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EventStore } from '@app/event-store';
import { Cursors, pageOf, type Operator } from '@app/http';
import { invalid, notFound, ok, refuse, type Result } from '@app/kernel';
import { jsonDifferences } from './json-difference';
import { OperatorReads } from '../operator-log/operator-reads';
import { auditedEvent, integrityOf, pointIn, remainsOf, stateAt, type Point } from './read-stream';
import type { ShowEventsDto, StreamEventPage, StreamState } from './streams.schema';

/**
 * Returns a page of a stream's events, oldest first, and its folded states at the requested points. The access is
 * logged. Refuses with `invalid_cursor`, `invalid_input`, `not_found`. @throws Unavailable
 */
export class ShowEvents extends Query<Result<StreamEventPage>> {
  constructor(
    readonly operator: Operator,
    readonly stream: string,
    readonly query: ShowEventsDto,
  ) {
    super();
  }
}

@QueryHandler(ShowEvents)
export class ShowEventsHandler implements IQueryHandler<ShowEvents> {
  constructor(
    private readonly store: EventStore,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, stream, query }: ShowEvents): Promise<Result<StreamEventPage>> {
    const binding = { list: 'operator.events', userId: operator.operatorId, filters: { stream } };
    const after = this.cursors.startOf(binding, query.cursor);
    if (!after.ok) return after;
    const [at, and] = [pointIn('at', query.at), pointIn('and', query.and)];
    if (!at.ok) return at;
    if (!and.ok) return and;
    if (and.value !== null && at.value === null) return refuse(invalid('/and', 'needs `at`'));
    const remains = await remainsOf(this.store, stream);
    if (remains === null) return refuse(notFound);
    const parameters = {
      ...(query.at !== undefined && { at: query.at }),
      ...(query.and !== undefined && { and: query.and }),
    };
    await this.reads.log(operator, { operation: 'streams.events', target: stream, parameters });
    const from = after.value === null ? 0 : after.value + 1;
    const events = await this.store.readRemaining(stream, from, query.limit + 1);
    const page = pageOf(events, query.limit, auditedEvent, ({ revision }) => this.cursors.mint(binding, [revision]));
    const [one, other] = [await this.state(stream, at.value), await this.state(stream, and.value)];
    const differences = one === null || other === null ? null : jsonDifferences(one.state, other.state);
    return ok({ ...page, integrity: integrityOf(remains), at: one, and: other, differences });
  }

  private async state(stream: string, point: Point | null): Promise<StreamState | null> {
    return point === null ? null : stateAt(this.store, stream, point);
  }
}
