import { automationKind } from '@app/automations';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import type { Recorded } from '@app/event-store';
import type { Projection } from '@app/read-store';
import { operationKind } from '@app/wallets';
import { ApprovalRow, OperationCopyRow } from './approval.row';
import { isApprovalChange, openedView, viewAfter, type ApprovalHolderEvent } from './approval.view';

/** Table `approvals`, of every stream that can hold one. */
export const approvalsProjection: Projection<ApprovalRow, ApprovalHolderEvent> = {
  name: 'approvals',
  version: 2,
  row: ApprovalRow,
  kinds: [conversationKind, operationKind, automationKind],
  keyOf: ({ event }) => (isApprovalChange(event) ? event.approvalId : null),
  project: (row, recorded) => {
    const { event, stream, revision } = recorded;
    if (event.type === 'approval.opened') return openRow(recorded);
    if (row === null || !isApprovalChange(event)) return row;
    const closes = event.type === 'approval.decided' || event.type === 'approval.expired';
    return { ...viewAfter(row, event, stream), closedRevision: closes ? revision : row.closedRevision };
  },
  counters: ({ userId, status }) => [`${userId}/${status}`],
};

function openRow(recorded: Recorded<ApprovalHolderEvent>): ApprovalRow | null {
  const { event, stream, revision, position, metadata, id } = recorded;
  if (event.type !== 'approval.opened') return null;
  return {
    ...openedView(event, stream),
    userId: event.userId,
    stream,
    openedRevision: revision,
    closedRevision: null,
    openedBy: { requestId: metadata.requestId, correlationId: metadata.$correlationId, eventId: id },
    openedPosition: position,
    position,
  };
}

/** Table `operation_copies`. */
export const operationCopiesProjection: Projection<OperationCopyRow, ConversationEvent> = {
  name: 'operation_copies',
  version: 1,
  row: OperationCopyRow,
  kinds: [conversationKind],
  keyOf: ({ event }) =>
    event.type === 'operation.submitted' || event.type === 'settlement.updated'
      ? `${event.operationId}/${event.type}`
      : null,
  project: (_, { event, revision, position }) =>
    event.type === 'operation.submitted' || event.type === 'settlement.updated'
      ? { copyKey: `${event.operationId}/${event.type}`, revision, position }
      : null,
};
