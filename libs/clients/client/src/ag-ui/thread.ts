import type { JournalFrame } from '../types.js';
import type { AgUiEvent, Message } from './protocol.js';

/** The state of a transfer that a conversation made; in `state.parley.operations`, by the operation's id. */
export interface ThreadOperation {
  readonly status: 'submitted' | 'settled' | 'failed';
  readonly submittedAt: string;
  readonly runId: string | null;
  readonly approvalId: string | null;
  readonly actions: readonly unknown[];
  readonly failure: unknown;
}

/** The member `parley` of an agent's `state`: the next request sends it back, so that it continues where this one ended. */
export interface ThreadState {
  /** The `seq` of the last durable event that the client has. */
  readonly cursor: number;
  readonly operations: Readonly<Record<string, ThreadOperation>>;
}

/** A published frame; a type that this version does not know changes nothing. */
export type Frame = JournalFrame;

export type DurablePayload = Extract<Frame, { delivery: 'durable' }>['payload'];
export type LivePayload = Extract<Frame, { delivery: 'live' }>['payload'];
export type RunEnd = Extract<DurablePayload, { type: 'run.ended' }>;

/** A conversation as one AG-UI client has it. */
export interface Thread extends ThreadState {
  readonly messages: readonly Message[];
  /** Ids of messages whose text is not complete yet. */
  readonly speaking: ReadonlySet<string>;
  /** A run that was live before the client connected: the beginning of its current message is missing. */
  readonly missedRunId: string | null;
  readonly liveRunId: string | null;
  /** Approvals that are neither decided nor expired. */
  readonly pending: ReadonlySet<string>;
  readonly lastEnd: RunEnd | null;
  /** Ids that the client gave to the messages that started these runs, by run id. */
  readonly messageIds: Readonly<Record<string, string>>;
}

/** The result of a frame. */
export interface Step {
  readonly thread: Thread;
  readonly events: readonly AgUiEvent[];
}

/** Returns a client that has these messages up to a cursor; by default one that has nothing yet. */
export function threadOf(
  known: Partial<Pick<Thread, 'cursor' | 'operations' | 'messages' | 'messageIds'>> = {},
): Thread {
  return {
    cursor: 0,
    operations: {},
    messages: [],
    messageIds: {},
    ...known,
    speaking: new Set(),
    missedRunId: null,
    liveRunId: null,
    pending: new Set(),
    lastEnd: null,
  };
}

/** Returns all messages at once, which replaces whatever the client has. */
export function messagesSnapshot({ messages }: Thread): AgUiEvent {
  return { type: 'MESSAGES_SNAPSHOT', messages: [...messages] };
}

/** @param state the client's own; its other members are kept */
export function stateSnapshot({ cursor, operations }: Thread, state: Readonly<Record<string, unknown>>): AgUiEvent {
  return { type: 'STATE_SNAPSHOT', snapshot: { ...state, parley: { cursor, operations } } };
}

/**
 * Returns the remainder of a text after the part that a reader has seen; null if that part is not its beginning,
 * because live text was lost: then the whole recorded text has to replace it.
 */
export function restOfText(seen: string, whole: string): string | null {
  return whole.startsWith(seen) ? whole.slice(seen.length) : null;
}
