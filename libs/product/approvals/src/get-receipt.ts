import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EventStore, streamName, type StoredEvent } from '@app/event-store';
import { notFound, ok, refuse, type ApprovalId, type Result, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { operationKind } from '@app/wallets';
import { receiptOf } from './receipt';
import type { Receipt } from './receipt.schema';
import { SelectedApprovals } from './selected-approvals';

/** Events that an operation's stream can have: 16 actions, each sent again a few times before its operation expires. */
export const operationEventsMax = 2_000;

/**
 * The receipt of an approval as of now, from the events in their streams, wherever the read models say that they are; refuses with
 * `not_found`. @throws Unavailable when a store is away
 */
export class GetReceipt extends Query<Result<Receipt>> {
  constructor(
    readonly userId: UserId,
    readonly approvalId: ApprovalId,
  ) {
    super();
  }
}

@QueryHandler(GetReceipt)
export class GetReceiptHandler implements IQueryHandler<GetReceipt> {
  constructor(
    private readonly approvals: SelectedApprovals,
    private readonly database: Database,
    private readonly store: EventStore,
  ) {}

  async execute({ userId, approvalId }: GetReceipt): Promise<Result<Receipt>> {
    const approval = await this.approvals.findAsOfNow(userId, approvalId);
    if (approval === null) return refuse(notFound);
    const { stream, openedRevision, closedRevision, operationId } = approval;
    const operationStream = operationId === null ? null : streamName(operationKind, operationId);
    const operation =
      operationStream === null ? [] : await this.store.readStream(operationStream, 0, operationEventsMax);
    // A withdrawal's approval is among its operation's events.
    if (stream === operationStream) return ok(receiptOf(operation));
    const own = closedRevision === null ? [openedRevision] : [openedRevision, closedRevision];
    const copied = operationId === null ? [] : await this.copies(operationId);
    const [decided, copies] = await Promise.all([this.eventsAt(stream, own), this.eventsAt(stream, copied)]);
    return ok(receiptOf([...decided, ...operation, ...copies]));
  }

  /** Revisions of what was copied of an operation into its conversation, oldest first. */
  private async copies(operationId: string): Promise<number[]> {
    const rows = await this.database.query<{ revision: number }>(
      'SELECT revision FROM {operation_copies} WHERE copy_key = ANY($1) ORDER BY revision',
      [[`${operationId}/operation.submitted`, `${operationId}/settlement.updated`]],
    );
    return rows.map(({ revision }) => revision);
  }

  private async eventsAt(stream: string, revisions: readonly number[]): Promise<StoredEvent[]> {
    const found = await Promise.all(revisions.map((revision) => this.store.readStream(stream, revision, 1)));
    return found.flat();
  }
}
