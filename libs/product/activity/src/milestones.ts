import type { ApprovalEvent } from '@app/consent';
import type { ActivityItem, MilestoneKind, ToldEvent } from './activity.view';
import { quoted, words } from '@app/kernel';
import { outcomeTitle, untitled, type TitleSource } from './milestone-titles';

type ToldType =
  | ('conversation.created' | 'automation.triggered' | 'run.started' | 'run.ended' | ApprovalEvent['type'])
  | ('operation.used' | 'operation.confirmed' | 'submission.accepted' | 'operation.settled' | 'operation.failed');
type EventOf<Type> = Extract<ToldEvent, { readonly type: Type }>;

/** An event that is a milestone, or by which one is foreseen. */
export type MilestoneEvent = EventOf<ToldType>;

/** The ids that a milestone concerns, and its origin. */
export type Subject = { readonly userId: string } & Pick<
  ActivityItem,
  'origin' | 'conversationId' | 'runId' | 'approvalId' | 'operationId' | 'automationId'
>;

/** The ids in the name of a stream. */
export interface StreamIds {
  readonly conversationId: string | null;
  readonly operationId: string | null;
  readonly automationId: string | null;
}

/** How one type of event becomes a milestone. */
export interface Milestone<Event> {
  readonly kind: MilestoneKind;
  /** The key of the row that the event creates or changes. */
  key(this: void, event: Event, stream: string): string;
  /** The key of the row that the milestone refers to: the conversation that it happened in, the run that ended, the approval. */
  about(this: void, event: Event, stream: string): string | null;
  /** The milestone's subject; null where the row of `about` is required but missing, so that the event is not one of the product's own. */
  subject(this: void, event: Event, about: Subject | null, ids: StreamIds): Subject | null;
  /** @param before the title of the row of `about`; null if that is missing */
  title(this: void, event: Event, before: TitleSource | null): TitleSource;
  /** The milestone itself happens with a later event. */
  readonly foreseen?: true;
}

const inItsStream = (_: unknown, stream: string): string => stream;
const over = (key: string) => `${key}/over`;
const firing = ({ occurrenceId }: { readonly occurrenceId: string }): string => `firing/${occurrenceId}`;
const run = ({ runKey }: { readonly runKey: string }): string => `run/${runKey}`;
// A direct withdrawal has one approval, whose id its later events lack: so it is identified by the operation's stream.
const approval = ({ approvalId }: { readonly approvalId: string }, stream: string): string =>
  stream.startsWith('operation-') ? `${stream}/approval` : `approval/${approvalId}`;
const sameSubject = (_: unknown, about: Subject | null): Subject | null => about;
const sameTitle = (_: unknown, before: TitleSource | null): TitleSource => before ?? untitled;
const none = (): null => null;

const runOutcomes = { completed: words`Completed`, failed: words`Failed`, aborted: words`Aborted` } as const;
const decisions = { approved: words`Approved`, denied: words`Denied` } as const;

const submission: Omit<Milestone<unknown>, 'about'> = {
  kind: 'operation_submitted',
  key: inItsStream,
  subject: (_, about, { operationId }) => about && { ...about, operationId },
  title: sameTitle,
  foreseen: true,
};

const settlement: Omit<Milestone<unknown>, 'kind' | 'title'> = {
  key: (_, stream) => over(stream),
  about: inItsStream,
  subject: sameSubject,
};

/**
 * Every event that is a milestone. Each kind is taken from one stream: an operation's from its own, not from the copies
 * in conversations. As in the journal, an operation is submitted when the provider has accepted its first action.
 */
export const milestones: { readonly [Type in ToldType]: Milestone<EventOf<Type>> } = {
  'conversation.created': {
    kind: 'conversation_created',
    key: inItsStream,
    about: none,
    subject: ({ userId, origin, automationId }, _, { conversationId }) => {
      return { userId, origin, automationId, conversationId, runId: null, approvalId: null, operationId: null };
    },
    title: ({ title }) => ({ ...untitled, words: title, form: 'text', otherwise: words`New conversation` }),
  },
  'automation.triggered': {
    kind: 'automation_fired',
    key: firing,
    about: inItsStream,
    subject: sameSubject,
    title: sameTitle,
  },
  'run.started': {
    kind: 'run_started',
    key: run,
    about: inItsStream,
    subject: ({ runId }, about) => about && { ...about, runId },
    title: ({ request }) => ({ ...untitled, words: request, form: 'request', otherwise: words`A run` }),
  },
  'run.ended': {
    kind: 'run_ended',
    key: (event) => over(run(event)),
    about: run,
    subject: sameSubject,
    title: ({ status }, before) => outcomeTitle(runOutcomes[status], before),
  },
  'approval.opened': {
    kind: 'approval_opened',
    key: approval,
    title: askedTitle,
    about: (_, stream) => (stream.startsWith('conversation-') ? stream : null),
    subject: ({ userId, runId, approvalId, automationId }, about, ids) => {
      if (about !== null) return { ...about, runId, approvalId, automationId: automationId ?? about.automationId };
      // A direct withdrawal, or an automation's contract: neither belongs to a conversation.
      const { conversationId, operationId, automationId: holder } = ids;
      if (conversationId !== null) return null;
      const subject = { userId, runId, approvalId, operationId, conversationId, automationId: automationId ?? holder };
      return { ...subject, origin: 'operation' };
    },
  },
  'approval.decided': {
    kind: 'approval_decided',
    key: (event, stream) => over(approval(event, stream)),
    about: approval,
    subject: sameSubject,
    title: ({ status, decidedBy }, before) =>
      outcomeTitle(decidedBy === 'automation_contract' ? words`Approved by contract` : decisions[status], before),
  },
  'approval.expired': {
    kind: 'approval_expired',
    key: (event, stream) => over(approval(event, stream)),
    about: approval,
    subject: sameSubject,
    title: (_, before) => outcomeTitle(words`Expired`, before),
  },
  // The use of an agent's approval, whose stream is a conversation; below, that of a direct withdrawal's own approval.
  'operation.used': { ...submission, about: ({ approvalId }) => `approval/${approvalId}` },
  'operation.confirmed': { ...submission, about: (_, stream) => `${stream}/approval` },
  'submission.accepted': { ...submission, about: none, subject: none },
  'operation.settled': {
    kind: 'operation_settled',
    ...settlement,
    title: (_, before) => outcomeTitle(words`Settled`, before),
  },
  'operation.failed': {
    kind: 'operation_failed',
    ...settlement,
    title: (_, before) => outcomeTitle(words`Failed`, before),
  },
};

/** Summaries with the first version of fingerprints may contain other people's texts without quotation marks. */
function askedTitle({ summary, tool, fingerprintVersion }: EventOf<'approval.opened'>): TitleSource {
  const form = fingerprintVersion === 1 ? 'foreign_sentence' : 'sentence';
  return { ...untitled, sentence: summary, form, otherwise: quoted(tool) };
}

/** The row of the firing that started the run, to which the run's id is added. */
export function firingOf({ occurrenceId }: EventOf<'run.started'>): string | null {
  return occurrenceId === null ? null : firing({ occurrenceId });
}

export function isMilestone(event: ToldEvent): event is MilestoneEvent {
  return event.type in milestones && !(event.type === 'submission.accepted' && event.index > 0);
}
