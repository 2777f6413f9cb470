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

/** The types of notices (docs/decisions/telling-partners.md, "Types"). */
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
  'user.erased',
  'message.rated',
] as const;
export type NoticeType = (typeof noticeTypes)[number];

/** The ids that a notice concerns, for partners to fetch; ids that do not apply are left out. */
export interface NoticeData {
  readonly userId: UserId;
  readonly conversationId?: ConversationId;
  /** The event's number in the conversation's journal. */
  readonly seq?: number;
  readonly runId?: RunId;
  readonly approvalId?: ApprovalId;
  readonly operationId?: OperationId;
  readonly automationId?: AutomationId;
  readonly occurrenceId?: OccurrenceId;
  readonly status?: string;
  readonly expiresAt?: Instant;
}

/** An event in the form that partners get. */
export interface Notice {
  /** The event's id, which is also the `webhook-id` of every attempt to deliver it. */
  readonly id: string;
  readonly type: NoticeType;
  /** When the event happened, by the service clock. */
  readonly timestamp: Instant;
  readonly data: NoticeData;
  /** The event as its journal shows it; for streams without a public journal, in the same form. */
  readonly payload: JsonObject;
  /** The stream of the conversation, operation, automation, wallet, budget or account: notices of one stream are delivered in order. */
  readonly stream: string;
  /** Revision in its stream, from 0. */
  readonly revision: number;
  /** Position in the whole store; notices are sorted by it. */
  readonly position: number;
}

/** How much of an event a body contains: `thin` without the payload, `full` with it. */
export const payloadKinds = ['thin', 'full'] as const;
export type PayloadKind = (typeof payloadKinds)[number];

/** The body of a delivery to a partner, in the form of Standard Webhooks. */
export interface NoticeBody {
  readonly type: NoticeType;
  readonly timestamp: Instant;
  readonly data: NoticeData & { readonly payload?: JsonObject };
}

export function noticeBody({ type, timestamp, data, payload }: Notice, kind: PayloadKind): NoticeBody {
  return { type, timestamp, data: kind === 'full' ? { ...data, payload } : data };
}
