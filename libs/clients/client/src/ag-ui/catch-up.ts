import type { Schemas } from '../types.js';
import type { Parley } from './decisions.js';
import { newestOf, type AgUiInput } from './input.js';
import type { AgUiEvent, Message } from './protocol.js';
import { messagesSnapshot, stateSnapshot, threadOf, type Frame, type Thread } from './thread.js';
import { translate } from './translate.js';

/** What a client has once it has everything up to a point of the journal, and what follows that. */
export interface CaughtUp {
  readonly thread: Thread;
  /** Read from already, so that no word of what begins now is missed. */
  readonly frames: AsyncIterator<Frame, void>;
  /** The `seq` up to which it has everything. */
  readonly lastSeq: number;
}

/**
 * Brings a client to where the conversation is now: from its own cursor by the events that it misses, without one by a snapshot of all.
 * Throws as calls do. @param runId of the run that the newest message starts, or has started
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
  // A replica that is behind what the client has seen tells it all once more.
  const known = input.known !== null && input.known.cursor <= lastSeq ? input.known : null;
  // The newest event at least is read again: it shows that the stream is open before anything begins.
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
  // The cursor comes last: a client that has it has all that it stands for.
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

/** Everything there is, with a message of the user's that is not sent yet at its end. */
function wholeOf(thread: Thread, newest: Message | null): Thread {
  const isUnsent = newest !== null && !thread.messages.some(({ id }) => id === newest.id);
  const messages = isUnsent ? [...thread.messages, newest] : thread.messages;
  // What failed before anybody asked is no failure of this request.
  const lastEnd = thread.lastEnd !== null && thread.lastEnd.runId in thread.messageIds ? thread.lastEnd : null;
  return { ...thread, messages, lastEnd };
}

/** Those that were opened before the client's cursor are not among what it missed. */
async function pendingOf(parley: Parley, thread: Thread, conversation: Schemas['Conversation']): Promise<Set<string>> {
  const pending = new Set(thread.pending);
  if (conversation.pendingApprovals <= pending.size) return pending;
  for await (const one of parley.approvals.list({ limit: 100 })) {
    if (one.kind === 'agent_tool' && one.conversationId === conversation.id) pending.add(one.id);
  }
  return pending;
}

const isOnlyTheClients = ({ role }: Message): boolean => role === 'system' || role === 'developer';
