import { Injectable } from '@nestjs/common';
import { operationEventsMax, type SelectedApproval } from '@app/approvals';
import { EventStore, streamName, type ReceivedEvent } from '@app/event-store';
import { Database } from '@app/read-store';
import { operationKind } from '@app/wallets';
import { CallAuthorities } from './call-authorities';

/** Collects the contents of a receipt: the events of an approval, with their stored bytes. */
@Injectable()
export class ReceiptEvents {
  constructor(
    private readonly store: EventStore,
    private readonly database: Database,
    private readonly authorities: CallAuthorities,
  ) {}

  /** Returns the events in the order of a receipt. Throws Unavailable. */
  async of(approval: SelectedApproval): Promise<ReceivedEvent[]> {
    const { stream, openedRevision, closedRevision, operationId } = approval;
    const operationStream = operationId === null ? null : streamName(operationKind, operationId);
    const operation =
      operationStream === null ? [] : await this.store.readStreamRaw(operationStream, 0, operationEventsMax);
    // A withdrawal's approval is among its operation's events.
    if (stream === operationStream) return operation;
    const own = closedRevision === null ? [openedRevision] : [openedRevision, closedRevision];
    const copied = operationId === null ? [] : await this.copies(operationId);
    const [decided, copies] = await Promise.all([this.eventsAt(stream, own), this.eventsAt(stream, copied)]);
    const [opening] = decided;
    const isCovered = approval.decidedBy === 'automation_contract' && opening !== undefined;
    const authority = isCovered ? await this.authorities.of(approval, opening.position) : [];
    return [...authority, ...decided, ...operation, ...copies];
  }

  /** Returns the revisions of an operation's copies in its conversation, oldest first. */
  private async copies(operationId: string): Promise<number[]> {
    const rows = await this.database.query<{ revision: number }>(
      'SELECT revision FROM {operation_copies} WHERE copy_key = ANY($1) ORDER BY revision',
      [[`${operationId}/operation.submitted`, `${operationId}/settlement.updated`]],
    );
    return rows.map(({ revision }) => revision);
  }

  private async eventsAt(stream: string, revisions: readonly number[]): Promise<ReceivedEvent[]> {
    const found = await Promise.all(revisions.map((revision) => this.store.readStreamRaw(stream, revision, 1)));
    return found.flat();
  }
}
