import { Injectable } from '@nestjs/common';
import { decodeEvent, EventStore, streamName, type Recorded } from '@app/event-store';
import type { OperationId, UserId } from '@app/kernel';
import type { OperationEvent } from './operation.events';
import type { OperationView } from './operation.schema';
import { operationKind } from './operation.stream';
import { operationView } from './operations.projection';

/** Events read at a time; nearly every operation fits. */
const pageEvents = 200;

/** Operations as of now, folded from their streams as the read model folds them: after an ambiguous answer nothing may be behind. */
@Injectable()
export class FinancialOperations {
  constructor(private readonly store: EventStore) {}

  /** Null when the user has no such operation. @throws Unavailable */
  async find(userId: UserId, operationId: OperationId): Promise<OperationView | null> {
    const events: Recorded<OperationEvent>[] = [];
    for (let revision = 0; ; revision += pageEvents) {
      const page = await this.store.readStream(streamName(operationKind, operationId), revision, pageEvents);
      events.push(...page.map((stored) => decodeEvent<OperationEvent>(operationKind, stored)));
      if (page.length < pageEvents) break;
    }
    const [first] = events;
    const own = first !== undefined && 'userId' in first.event && first.event.userId === userId;
    return own ? operationView(events) : null;
  }
}
