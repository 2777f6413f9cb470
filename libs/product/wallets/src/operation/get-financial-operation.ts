import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { decodeEvent, EventStore, streamName, type Recorded } from '@app/event-store';
import { notFound, ok, refuse, type OperationId, type Result, type UserId } from '@app/kernel';
import type { OperationEvent } from './operation.events';
import type { OperationView } from './operation.schema';
import { operationKind } from './operation.stream';
import { operationView } from './operation.view';

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
