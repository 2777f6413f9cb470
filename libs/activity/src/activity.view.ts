import type { AutomationEvent } from '@app/automations';
import type { ConversationEvent } from '@app/conversations';
import type { OperationEvent } from '@app/wallets';

/** Everything that a history is told from. */
export type ToldEvent = ConversationEvent | OperationEvent | AutomationEvent;

/** The milestones of a user's history (decisions.md, section 8). */
export const milestoneKinds = [
  'conversation_created',
  'run_started',
  'run_ended',
  'approval_opened',
  'approval_decided',
  'approval_expired',
  'automation_fired',
  'operation_submitted',
  'operation_settled',
  'operation_failed',
] as const;
export type MilestoneKind = (typeof milestoneKinds)[number];

/** Where a milestone belongs: a conversation of either origin, or none at all. */
export const milestoneOrigins = ['conversation', 'automation', 'operation'] as const;
export type MilestoneOrigin = (typeof milestoneOrigins)[number];

/** ConversationActivityItem, as the API answers it. */
export interface ActivityItem {
  /** Of the event that it is. */
  readonly id: string;
  readonly at: string;
  readonly kind: MilestoneKind;
  readonly origin: MilestoneOrigin;
  readonly conversationId: string | null;
  readonly runId: string | null;
  readonly approvalId: string | null;
  readonly operationId: string | null;
  readonly automationId: string | null;
  readonly title: string;
}
