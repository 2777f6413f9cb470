import { Injectable } from '@nestjs/common';
import { EventStore, streamName, type StoredEvent } from '@app/event-store';
import { notFound, ok, refuse, type ApprovalId, type Result, type UserId } from '@app/kernel';
import { operationKind } from '@app/wallets';
import { ApprovalQueries } from './approvals.queries';
import { receiptOf } from './receipt';
import type { Receipt } from './receipt.schema';

/** Events that an operation's stream can have: 16 actions, each sent anew a few times before its operation expires. */
export const operationEventsMax = 2_000;

/** `approvals.receipt`: reads the events from their streams, wherever the read models say that they are. */
@Injectable()
export class Receipts {
  constructor(
    private readonly queries: ApprovalQueries,
    private readonly store: EventStore,
  ) {}

  /** The receipt as of now. Throws Unavailable when a store is away. */
  async of(userId: UserId, approvalId: ApprovalId): Promise<Result<Receipt>> {
    const approval = await this.queries.findAsOfNow(userId, approvalId);
    if (approval === null) return refuse(notFound);
    const { stream, openedRevision, closedRevision, operationId } = approval;
    const operationStream = operationId === null ? null : streamName(operationKind, operationId);
    const operation =
      operationStream === null ? [] : await this.store.readStream(operationStream, 0, operationEventsMax);
    // A withdrawal's approval is among its operation's events.
    if (stream === operationStream) return ok(receiptOf(operation));
    const own = closedRevision === null ? [openedRevision] : [openedRevision, closedRevision];
    const copied = operationId === null ? [] : await this.queries.copies(operationId);
    const [decided, copies] = await Promise.all([this.eventsAt(stream, own), this.eventsAt(stream, copied)]);
    return ok(receiptOf([...decided, ...operation, ...copies]));
  }

  private async eventsAt(stream: string, revisions: readonly number[]): Promise<StoredEvent[]> {
    const found = await Promise.all(revisions.map((revision) => this.store.readStream(stream, revision, 1)));
    return found.flat();
  }
}
