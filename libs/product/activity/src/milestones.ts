import type { ApprovalEvent } from '@app/consent';
import type { ActivityItem, MilestoneKind, ToldEvent } from './activity.view';
import { quoted, words, type Words } from '@app/kernel';
import { outcomeTitle, sentenceTitle, titleOf } from './milestone-titles';

type ToldType =
  | ('conversation.created' | 'automation.triggered' | 'run.started' | 'run.ended' | ApprovalEvent['type'])
  | ('operation.used' | 'operation.confirmed' | 'submission.accepted' | 'operation.settled' | 'operation.failed');
type EventOf<Type> = Extract<ToldEvent, { readonly type: Type }>;

/** An event that is a milestone, or that makes one be foreseen. */
export type MilestoneEvent = EventOf<ToldType>;

/** What a milestone is about. */
export type Subject = { readonly userId: string } & Pick<
  ActivityItem,
  'origin' | 'conversationId' | 'runId' | 'approvalId' | 'operationId' | 'automationId'
>;

/** The ids that streams are named by. */
export interface StreamIds {
  readonly conversationId: string | null;
  readonly operationId: string | null;
  readonly automationId: string | null;
}

/** How one type of event tells of a milestone. */
export interface Milestone<Event> {
  readonly kind: MilestoneKind;
  /** The row that the event makes or changes. */
  key(this: void, event: Event, stream: string): string;
  /** The row that says what it is about: the conversation that it happened in, the run that ended, what was asked. */
  about(this: void, event: Event, stream: string): string | null;
  /** What it is about; null where `about` should be there and is not: no event of the product's own. */
  subject(this: void, event: Event, about: Subject | null, ids: StreamIds): Subject | null;
  /** @param told the title of what it is about */
  title(this: void, event: Event, told: Words): Words;
  /** The milestone itself comes with a later event. */
  readonly foreseen?: true;
}

const inItsStream = (_: unknown, stream: string): string => stream;
const over = (key: string) => `${key}/over`;
const firing = ({ occurrenceId }: { readonly occurrenceId: string }): string => `firing/${occurrenceId}`;
const run = ({ runKey }: { readonly runKey: string }): string => `run/${runKey}`;
// A direct withdrawal has one approval, which its later events do not name: so it goes by the operation's stream.
const approval = ({ approvalId }: { readonly approvalId: string }, stream: string): string =>
  stream.startsWith('operation-') ? `${stream}/approval` : `approval/${approvalId}`;
const sameSubject = (_: unknown, about: Subject | null): Subject | null => about;
const sameTitle = (_: unknown, told: Words): Words => told;
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
 * Every event that is a milestone. Each kind comes from one stream: those of operations from their own, rather than from the copies in
 * conversations. As in the journal, an operation is submitted when the provider has taken its first action.
 */
export const milestones: { readonly [Type in ToldType]: Milestone<EventOf<Type>> } = {
  'conversation.created': {
    kind: 'conversation_created',
    key: inItsStream,
    about: none,
    subject: ({ userId, origin, automationId }, _, { conversationId }) => {
      return { userId, origin, automationId, conversationId, runId: null, approvalId: null, operationId: null };
    },
    title: ({ title }) => titleOf(title ?? '', words`New conversation`),
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
    title: ({ request }) => titleOf(request.input.text, words`A run`),
  },
  'run.ended': {
    kind: 'run_ended',
    key: (event) => over(run(event)),
    about: run,
    subject: sameSubject,
    title: ({ status }, told) => outcomeTitle(runOutcomes[status], told),
  },
  'approval.opened': {
    kind: 'approval_opened',
    key: approval,
    title: (event) => sentenceTitle(askedWords(event)),
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
    title: ({ status, decidedBy }, told) =>
      outcomeTitle(decidedBy === 'automation_contract' ? words`Approved by contract` : decisions[status], told),
  },
  'approval.expired': {
    kind: 'approval_expired',
    key: (event, stream) => over(approval(event, stream)),
    about: approval,
    subject: sameSubject,
    title: (_, told) => outcomeTitle(words`Expired`, told),
  },
  // The use of an agent's approval, which lies in a conversation, and that of a direct withdrawal's own.
  'operation.used': { ...submission, about: ({ approvalId }) => `approval/${approvalId}` },
  'operation.confirmed': { ...submission, about: (_, stream) => `${stream}/approval` },
  'submission.accepted': { ...submission, about: none, subject: none },
  'operation.settled': {
    kind: 'operation_settled',
    ...settlement,
    title: (_, told) => outcomeTitle(words`Settled`, told),
  },
  'operation.failed': {
    kind: 'operation_failed',
    ...settlement,
    title: (_, told) => outcomeTitle(words`Failed`, told),
  },
};

/** Summaries that were opened with the first version of fingerprints may hold texts of others that are no quotations. */
function askedWords({ summary, tool, fingerprintVersion }: EventOf<'approval.opened'>): Words {
  if (summary === '') return quoted(tool);
  return fingerprintVersion === 1 ? quoted(summary, Infinity) : summary;
}

/** The row of the firing that the run came of, which the run gives its id. */
export function firingOf({ occurrenceId }: EventOf<'run.started'>): string | null {
  return occurrenceId === null ? null : firing({ occurrenceId });
}

export function isMilestone(event: ToldEvent): event is MilestoneEvent {
  return event.type in milestones && !(event.type === 'submission.accepted' && event.index > 0);
}
