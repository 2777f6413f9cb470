import type { AutomationEvent } from '@app/automations';
import type { BudgetEvent } from '@app/budget';
import type { ConversationEvent } from '@app/conversations';
import type { Recorded } from '@app/event-store';
import { asId, type AutomationId, type ConversationId, type OperationId, type UserId } from '@app/kernel';
import type { UserEvent } from '@app/users';
import type { WalletEvent } from '@app/wallets';
import type { Notice, NoticeData, NoticeType } from './notice';

/** The events that may become notices. An operation's outcome arrives here as the copy that a journal would have. */
export type NoticeSource = ConversationEvent | AutomationEvent | WalletEvent | BudgetEvent | UserEvent;

/** The owner of a stream and the ids that it concerns, fixed by its first event. */
export interface Subject {
  readonly userId: UserId;
  /** The conversation whose journal the stream is. */
  readonly conversationId: ConversationId | null;
  readonly operationId: OperationId | null;
  /** The automation itself, or the one that began the stream. */
  readonly automationId: AutomationId | null;
}

type EventOf<Type> = Extract<NoticeSource, { readonly type: Type }>;
type About = { readonly [Name in keyof NoticeData]?: NoticeData[Name] | null };

/** How one type of event becomes a notice. */
interface NoticeRule<Event> {
  readonly as: NoticeType;
  /** The ids and the status that it concerns, in addition to its stream's subject. */
  about(this: void, event: Event): About;
  /** Members of the payload that partners may not see, because an operator's words are for operators. */
  readonly hides?: readonly (keyof Event & string)[];
}

type NoticeSourceType =
  | ('run.ended' | 'run.suspended' | 'approval.opened' | 'approval.decided' | 'approval.expired')
  | ('operation.submitted' | 'settlement.updated' | 'automation.triggered')
  | ('occurrence.rejected' | 'automation.completed' | 'wallet.session_rejected' | 'budget.exhausted')
  | ('user.disabled' | 'user.erased' | 'message.rated');

const itself = (): About => ({});

/** Every type of event that partners are notified of, whatever its stream (docs/decisions/telling-partners.md, "Types"). */
const noticeRules: { readonly [Type in NoticeSourceType]: NoticeRule<EventOf<Type>> } = {
  'run.ended': { as: 'run.ended', about: ({ runId, status }) => ({ runId, status }) },
  'run.suspended': { as: 'run.suspended', about: ({ runId }) => ({ runId }) },
  'approval.opened': {
    as: 'approval.opened',
    about: ({ approvalId, runId, expiresAt }) => ({ approvalId, runId, expiresAt }),
  },
  'approval.decided': { as: 'approval.decided', about: ({ approvalId, status }) => ({ approvalId, status }) },
  'approval.expired': { as: 'approval.expired', about: ({ approvalId }) => ({ approvalId, status: 'expired' }) },
  'operation.submitted': {
    as: 'operation.submitted',
    about: ({ operationId, runId, approvalId }) => ({ operationId, runId, approvalId }),
  },
  'settlement.updated': { as: 'settlement.updated', about: ({ operationId, status }) => ({ operationId, status }) },
  'automation.triggered': {
    as: 'automation.triggered',
    about: ({ automationId, occurrenceId }) => ({ automationId: asId(automationId), occurrenceId: asId(occurrenceId) }),
  },
  'occurrence.rejected': { as: 'automation.rejected', about: ({ occurrenceId }) => ({ occurrenceId }) },
  'automation.completed': { as: 'automation.completed', about: itself },
  'wallet.session_rejected': { as: 'wallet.authorization_required', about: itself },
  'budget.exhausted': { as: 'budget.exhausted', about: ({ periodKind }) => ({ status: periodKind }) },
  'user.disabled': { as: 'user.disabled', about: itself, hides: ['reason'] },
  'user.erased': { as: 'user.erased', about: itself },
  'message.rated': { as: 'message.rated', about: ({ runId, rating }) => ({ runId, status: rating }) },
};

/** Whether partners are notified of events of this type. */
export function isNoticeSource(type: string): type is NoticeSourceType {
  return Object.hasOwn(noticeRules, type);
}

/** The notice of an event; null where partners are not notified of it. @param subject the subject of the event's stream */
export function noticeOf({ event, payload, ...place }: Recorded<NoticeSource>, subject: Subject): Notice | null {
  if (!isNoticeSource(event.type)) return null;
  // Reason for the assertion: the table's entry for each type takes events of exactly this type.
  const telling: NoticeRule<NoticeSource> = noticeRules[event.type] as unknown as NoticeRule<NoticeSource>;
  const hides: readonly string[] = telling.hides ?? [];
  const shown = Object.entries(payload).filter(([name]) => !hides.includes(name));
  const { id, stream, revision, position } = place;
  const { userId, conversationId, operationId, automationId } = subject;
  const seq = conversationId === null ? null : revision + 1;
  const about = { conversationId, seq, operationId, automationId, ...withoutNulls(telling.about(event)) };
  return {
    id,
    type: telling.as,
    timestamp: event.at,
    data: { userId, ...withoutNulls(about) },
    payload: { ...Object.fromEntries(shown), type: telling.as },
    stream,
    revision,
    position,
  };
}

function withoutNulls(about: About): Omit<NoticeData, 'userId'> {
  const present = Object.entries(about).filter(([, value]) => value !== null && value !== undefined);
  // Reason for the assertion: only nulls were removed.
  return Object.fromEntries(present);
}
