import { Injectable } from '@nestjs/common';
import { decodeEvent, EventStore } from '@app/event-store';
import type { OperationId, UserId } from '@app/kernel';
import type { OperationRow } from './operation.row';
import { operationKind } from './operation.stream';
import { operationsProjection } from './operations.projection';
import type { OperationView } from './operations.queries';

/** Events read at a time; nearly every operation fits. */
const pageEvents = 200;

/** Operations as of now, folded from their streams as the read model folds them: after an ambiguous answer nothing may be behind. */
@Injectable()
export class FinancialOperations {
  constructor(private readonly store: EventStore) {}

  /** Null when the user has no such operation. @throws Unavailable */
  async find(userId: UserId, operationId: OperationId): Promise<OperationView | null> {
    let row: OperationRow | null = null;
    for (let revision = 0; ; revision += pageEvents) {
      const page = await this.store.readStream(`${operationKind.category}-${operationId}`, revision, pageEvents);
      for (const stored of page) row = operationsProjection.project(row, decodeEvent(operationKind, stored));
      if (page.length < pageEvents) break;
    }
    if (row?.userId !== userId) return null;
    const { userId: _, openedPosition: __, position: ___, ...view } = row;
    return view;
  }
}
