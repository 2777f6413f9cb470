import type { StreamKind } from '@app/event-store';
import { accept, unreachable, type Decider, type Instant, type MarksOf } from '@app/kernel';

/** The words of one archived conversation are closed, in stream `retention-<conversationId>`. It has no words, so it stays readable. */
export interface WordsClosed {
  readonly type: 'retention.words_closed';
  readonly at: Instant;
  readonly archivedAt: Instant;
  /** The value of `RETENTION_ARCHIVED_DAYS`. */
  readonly afterDays: number;
  /** Files that were removed, and those that the artifact store does not let this service remove. */
  readonly artifacts: number;
  readonly artifactsKept: number;
}

type RecordClosed = Omit<WordsClosed, 'type'> & { readonly type: 'RecordClosed' };

interface RetentionState {
  readonly isClosed: boolean;
}

const members: MarksOf<WordsClosed> = {
  'retention.words_closed': { archivedAt: 'clear', afterDays: 'clear', artifacts: 'clear', artifactsKept: 'clear' },
};

/** The closing of a conversation is recorded once. */
const decider: Decider<RetentionState, RecordClosed, WordsClosed> = {
  initialState: { isClosed: false },
  decide: ({ type: _, ...facts }, { isClosed }) =>
    isClosed ? accept() : accept({ type: 'retention.words_closed', ...facts }),
  evolve: (_, event) => {
    if (event.type === 'retention.words_closed') return { isClosed: true };
    return unreachable(event.type);
  },
};

/** The stream `retention-<conversationId>`. */
export const retentionKind: StreamKind<RetentionState, RecordClosed, WordsClosed> = {
  category: 'retention',
  decider,
  members,
  stateVersion: 1,
};
