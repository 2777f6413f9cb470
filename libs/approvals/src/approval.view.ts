import type { AutomationEvent } from '@app/automations';
import type { ApprovalDecider, ApprovalEnd, ApprovalEvent, ApprovalKind, ApprovalStatus, Contract } from '@app/consent';
import type { ConversationEvent } from '@app/conversations';
import { unreachable, type JsonValue } from '@app/kernel';
import type { OperationEvent } from '@app/wallets';

/** Approval, as the API answers it: these members and no others (decisions.md, section 4). */
export interface ApprovalView {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly tool: string;
  readonly fingerprint: string;
  readonly input: JsonValue;
  readonly contract: Contract | null;
  readonly status: ApprovalStatus;
  readonly conversationId: string | null;
  readonly runId: string | null;
  readonly toolCallId: string | null;
  readonly operationId: string | null;
  readonly automationId: string | null;
  readonly openedAt: string;
  readonly expiresAt: string;
  readonly decidedAt: string | null;
  readonly decidedBy: ApprovalDecider | null;
  readonly denialReason: string | null;
  readonly endedReason: ApprovalEnd | null;
  readonly summary: string;
}

/** Everything that may concern an approval, in whichever stream it lies. */
export type ApprovalHolderEvent = ConversationEvent | OperationEvent | AutomationEvent;

/** What makes or changes an approval. */
export type ApprovalChange = ApprovalEvent | Extract<OperationEvent, { readonly type: 'operation.used' }>;

const changes: ReadonlySet<string> = new Set<ApprovalChange['type']>([
  'approval.opened',
  'approval.decided',
  'approval.expired',
  'operation.used',
]);

/** Whether the event makes or changes an approval, which it then names. */
export function isApprovalChange(event: ApprovalHolderEvent): event is ApprovalChange {
  return changes.has(event.type);
}

/** An approval that was just opened in this stream. */
export function openedView(event: Extract<ApprovalEvent, { type: 'approval.opened' }>, stream: string): ApprovalView {
  const { approvalId, kind, tool, fingerprint, input, contract, runId, toolCallId, automationId } = event;
  return {
    id: approvalId,
    kind,
    tool,
    fingerprint,
    input,
    contract,
    status: 'pending',
    conversationId: idAfter('conversation-', stream),
    runId,
    toolCallId,
    operationId: idAfter('operation-', stream),
    automationId,
    openedAt: event.at,
    expiresAt: event.expiresAt,
    decidedAt: null,
    decidedBy: null,
    denialReason: null,
    endedReason: null,
    summary: event.summary,
  };
}

/** The approval, or a row that holds one, after an event in this stream. */
export function viewAfter<View extends ApprovalView>(view: View, event: ApprovalChange, stream: string): View {
  switch (event.type) {
    case 'approval.opened':
      return view;
    case 'approval.decided': {
      const { status, decidedBy, denialReason } = event;
      return { ...view, status, decidedBy, denialReason, decidedAt: event.at };
    }
    case 'approval.expired':
      return { ...view, status: 'expired', endedReason: event.endedReason };
    // The single use of an agent's approval; its operation's id is in the stream's name.
    case 'operation.used':
      return { ...view, operationId: idAfter('operation-', stream) };
    default:
      return unreachable(event);
  }
}

function idAfter(prefix: string, stream: string): string | null {
  return stream.startsWith(prefix) ? stream.slice(prefix.length) : null;
}
