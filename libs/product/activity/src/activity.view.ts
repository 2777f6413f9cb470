import type { AutomationEvent } from '@app/automations';
import type { ConversationEvent, ConversationPage } from '@app/conversations';
import { byName, nullable, oneOf, orErased, pageOfShape, shape, text, uuid, instant, type Shaped } from '@app/schema';
import type { OperationEvent } from '@app/wallets';
import { titleLengthMax } from './milestone-titles';

/** Maximum number of milestones in one page. */
export const historyLimitMax = 50;

/** The events that a history is derived from. */
export type ToldEvent = ConversationEvent | OperationEvent | AutomationEvent;

/** The milestones of a user's history (docs/decisions/artifacts-and-activity.md). */
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

/** The origin of a milestone: a conversation that a user or an automation began, or `operation` for none at all. */
export const milestoneOrigins = ['conversation', 'automation', 'operation'] as const;
export type MilestoneOrigin = (typeof milestoneOrigins)[number];

const idOf = (what: string) => nullable(uuid(), { description: `The ${what}; null where none is concerned` });

/** ConversationActivityItem: a milestone in the form of the API. */
export const ConversationActivityItem = shape('ConversationActivityItem', {
  id: uuid({ description: 'Of the event that the milestone is' }),
  at: instant(),
  kind: oneOf(milestoneKinds),
  origin: oneOf(milestoneOrigins, {
    description: 'Of the conversation that it belongs to; `operation` exactly when it belongs to none',
  }),
  conversationId: idOf('conversation'),
  runId: idOf('run'),
  approvalId: idOf('approval'),
  operationId: idOf('financial operation'),
  automationId: idOf('automation'),
  title: orErased(text({ max: titleLengthMax, description: 'What it is about, in plain words, and what came of it' })),
});
export type ActivityItem = Shaped<typeof ConversationActivityItem>;

// Only the type is known here, because the conversations describe the shape themselves.
const listed = byName<ConversationPage>('ConversationPage');

/** The answer of `activity`. */
export const ActivityOverview = shape('ActivityOverview', {
  active: listed,
  recent: listed,
  history: pageOfShape('ConversationActivityItem', ConversationActivityItem, historyLimitMax),
});
export type ActivityOverviewView = Shaped<typeof ActivityOverview>;
