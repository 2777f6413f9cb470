import type {
  ApprovalId,
  AutomationId,
  ConversationId,
  Instant,
  JsonObject,
  OccurrenceId,
  OperationId,
  RunId,
  UserId,
} from '@app/kernel';

/** What partners are told of (docs/decisions/telling-partners.md, "Types"). */
export const noticeTypes = [
  'run.ended',
  'run.suspended',
  'approval.opened',
  'approval.decided',
  'approval.expired',
  'operation.submitted',
  'settlement.updated',
  'automation.triggered',
  'automation.rejected',
  'automation.completed',
  'wallet.authorization_required',
  'budget.exhausted',
  'user.disabled',
] as const;
export type NoticeType = (typeof noticeTypes)[number];

/** What it is about: ids to look up. What does not apply is left out. */
export interface NoticeData {
  readonly userId: UserId;
  readonly conversationId?: ConversationId;
  /** Its place in the conversation's journal. */
  readonly seq?: number;
  readonly runId?: RunId;
  readonly approvalId?: ApprovalId;
  readonly operationId?: OperationId;
  readonly automationId?: AutomationId;
  readonly occurrenceId?: OccurrenceId;
  readonly status?: string;
  readonly expiresAt?: Instant;
}

/** An event that partners are told of. */
export interface Notice {
  /** The event's, and so the `webhook-id` of every attempt to deliver it. */
  readonly id: string;
  readonly type: NoticeType;
  /** When it happened, by the service clock. */
  readonly timestamp: Instant;
  readonly data: NoticeData;
  /** The event as its journal shows it; of streams that have no public journal, in the same form. */
  readonly payload: JsonObject;
  /** The conversation, operation, automation, wallet, budget or account: within one of them, notices are told in order. */
  readonly stream: string;
  /** Place in its stream, from 0. */
  readonly revision: number;
  /** Place in the whole store; notices are ordered by it. */
  readonly position: number;
}

/** How much of an event a body tells. */
export const payloadKinds = ['thin', 'full'] as const;
export type PayloadKind = (typeof payloadKinds)[number];

/** The body that a partner gets, in the form of Standard Webhooks. */
export interface NoticeBody {
  readonly type: NoticeType;
  readonly timestamp: Instant;
  readonly data: NoticeData & { readonly payload?: JsonObject };
}

export function noticeBody({ type, timestamp, data, payload }: Notice, kind: PayloadKind): NoticeBody {
  return { type, timestamp, data: kind === 'full' ? { ...data, payload } : data };
}
