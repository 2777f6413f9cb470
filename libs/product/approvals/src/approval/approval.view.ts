import { automationKind, type AutomationEvent } from '@app/automations';
import type { ApprovalEvent } from '@app/consent';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { idInStream } from '@app/event-store';
import { unreachable, type Personal } from '@app/kernel';
import { operationKind, type OperationEvent } from '@app/wallets';
import type { ApprovalView, PersonalMember } from './approval.schema';

/** The kinds of streams that hold approvals; `ApprovalHomes` has a home for each. */
export const holderKinds = [conversationKind, operationKind, automationKind] as const;

/** Every event of a stream that holds approvals, whether it concerns one or not. */
export type ApprovalHolderEvent = ConversationEvent | OperationEvent | AutomationEvent;

/** The events that create or change an approval. */
export type ApprovalChange =
  | ApprovalEvent
  | Extract<OperationEvent, { readonly type: 'operation.used' }>
  | Extract<AutomationEvent, { readonly type: 'contract.superseded' }>;

const changes: ReadonlySet<string> = new Set<ApprovalChange['type']>([
  'approval.opened',
  'approval.decided',
  'approval.expired',
  'operation.used',
  'contract.superseded',
]);

/** Whether the event creates or changes an approval, which it then names. */
export function isApprovalChange(event: ApprovalHolderEvent): event is ApprovalChange {
  return changes.has(event.type);
}

/** An approval before its words are opened: they are sealed where events are followed, and in rows. */
export type ClosedApproval = {
  readonly [Member in keyof ApprovalView]: Member extends PersonalMember
    ? Personal<ApprovalView[Member]>
    : ApprovalView[Member];
};

/** Returns the approval that was just opened in this stream. */
export function viewOfOpening(
  event: Extract<ApprovalEvent, { type: 'approval.opened' }>,
  stream: string,
): ClosedApproval {
  const { approvalId, kind, tool, fingerprint, input, contract, runId, toolCallId, automationId } = event;
  return {
    id: approvalId,
    kind,
    tool,
    fingerprint,
    input,
    contract,
    status: 'pending',
    conversationId: idInStream(conversationKind, stream),
    runId,
    toolCallId,
    operationId: idInStream(operationKind, stream),
    automationId,
    openedAt: event.at,
    expiresAt: event.expiresAt,
    decidedAt: null,
    decidedBy: null,
    denialReason: null,
    endedReason: null,
    summary: event.summary,
    terms: event.terms,
  };
}

/** Returns the approval, or a row that holds one, after an event in this stream. */
export function viewAfter<View extends ClosedApproval>(view: View, event: ApprovalChange, stream: string): View {
  switch (event.type) {
    case 'approval.opened':
      return view;
    case 'approval.decided': {
      const { status, decidedBy, denialReason } = event;
      return { ...view, status, decidedBy, denialReason, decidedAt: event.at };
    }
    case 'approval.expired':
      return { ...view, status: 'expired', endedReason: event.endedReason };
    // The decision remains valid as a record, but covers nothing any more.
    case 'contract.superseded':
      return { ...view, endedReason: 'superseded' };
    // The single use of an agent's approval; its operation's id is in the stream's name.
    case 'operation.used':
      return { ...view, operationId: idInStream(operationKind, stream) };
    default:
      return unreachable(event);
  }
}
