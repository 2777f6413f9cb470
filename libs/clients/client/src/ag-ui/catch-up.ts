import type { Schemas } from '../types.js';
import type { Parley } from './decisions.js';
import { newestOf, type AgUiInput } from './input.js';
import type { AgUiEvent, Message } from './protocol.js';
import { messagesSnapshot, stateSnapshot, threadOf, type Frame, type Thread } from './thread.js';
import { translate } from './translate.js';

/** A client that has everything up to a point of the journal, and the frames that follow. */
export interface CaughtUp {
  readonly thread: Thread;
  /** Already being read, so that no word of a run that begins now is missed. */
  readonly frames: AsyncIterator<Frame, void>;
  /** The `seq` up to which the client has everything. */
  readonly lastSeq: number;
}

/**
 * Brings a client up to date with the conversation: with a cursor, by the events that it missed; without one, by a
 * snapshot of everything.
 * Throws as calls do. @param runId the run that the newest message starts, or has started
 */
export async function* catchUp(
  parley: Parley,
  input: AgUiInput,
  runId: string | null,
  signal: AbortSignal,
): AsyncGenerator<AgUiEvent, CaughtUp> {
  const { threadId: conversationId, messages } = input;
  const conversation = await parley.conversations.get({ conversationId });
  const { lastSeq, liveRunId } = conversation;
  // If a replica is behind what the client has seen, everything is sent once more.
  const known = input.known !== null && input.known.cursor <= lastSeq ? input.known : null;
  // Rereads at least the newest event: it shows that the stream is open before anything begins.
  const after = Math.min(known?.cursor ?? 0, lastSeq - 1);
  const frames = parley.conversations.stream({ conversationId, after }, { signal })[Symbol.asyncIterator]();
  const message = newestOf(input);
  const messageIds = runId === null || message === null ? {} : { [runId]: message.id };
  const before =
    known === null
      ? threadOf({ messages: messages.filter(isOnlyTheClients), messageIds })
      : threadOf({ ...known, messages, messageIds });
  if (known !== null) yield stateSnapshot(before, input.state);
  const missed = replay(frames, before, lastSeq);
  const thread = known === null ? wholeOf(await lastOf(missed), message) : yield* missed;
  // The cursor is sent last: a client that has it also has everything before it.
  if (known === null) yield* [messagesSnapshot(thread), stateSnapshot(thread, input.state)];
  const pending = await pendingOf(parley, thread, conversation);
  return { thread: { ...thread, liveRunId, missedRunId: liveRunId, pending }, frames, lastSeq };
}

async function* replay(
  frames: AsyncIterator<Frame, void>,
  thread: Thread,
  lastSeq: number,
): AsyncGenerator<AgUiEvent, Thread> {
  for (let seen = 0; seen < lastSeq;) {
    const { done, value } = await frames.next();
    if (done === true) break;
    if (value.delivery === 'live') continue;
    seen = value.seq;
    const step = translate(thread, value);
    thread = step.thread;
    yield* step.events;
  }
  return thread;
}

async function lastOf<Value>(events: AsyncGenerator<unknown, Value>): Promise<Value> {
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) return value;
  }
}

/** Returns the whole thread, followed by the user's newest message if it is not sent yet. */
function wholeOf(thread: Thread, newest: Message | null): Thread {
  const isUnsent = newest !== null && !thread.messages.some(({ id }) => id === newest.id);
  const messages = isUnsent ? [...thread.messages, newest] : thread.messages;
  // A failure from before this request is not reported as a failure of this request.
  const lastEnd = thread.lastEnd !== null && thread.lastEnd.runId in thread.messageIds ? thread.lastEnd : null;
  return { ...thread, messages, lastEnd };
}

/** Adds approvals that were opened before the client's cursor: the events it missed do not contain them. */
async function pendingOf(parley: Parley, thread: Thread, conversation: Schemas['Conversation']): Promise<Set<string>> {
  const pending = new Set(thread.pending);
  if (conversation.pendingApprovals <= pending.size) return pending;
  for await (const one of parley.approvals.list({ limit: 100 })) {
    if (one.kind === 'agent_tool' && one.conversationId === conversation.id) pending.add(one.id);
  }
  return pending;
}

const isOnlyTheClients = ({ role }: Message): boolean => role === 'system' || role === 'developer';
