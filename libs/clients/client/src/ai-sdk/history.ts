import type { DurableFrame, Schemas } from '../types.js';
import { ConversationFold } from './conversation.js';
import type { ParleyUIMessage } from './message.js';
import { OpenJournal, readConversation, type ChatScope } from './open-journal.js';
import { noContext, type ReadApproval } from './run-state.js';
import type { SentEvent } from './sse.js';

/** Number of events at a journal's end that are read for a page; `events.list` has older ones. */
const eventsMax = 2_000;
/** Number of approvals that are read at the same time. */
const readsMax = 8;

/** A conversation as a page opens it. */
export interface ChatHistory {
  readonly conversation: Schemas['Conversation'];
  /** Pass them to `useChat({ messages })`. */
  readonly messages: ParleyUIMessage[];
  /** The messages include the journal up to this `seq`: `watchMessages` continues after it. */
  readonly seq: number;
}

/** Returns the messages of a conversation's newest 2,000 events. Rejects with the errors of `@parley/client`. */
export async function readHistory(scope: ChatScope): Promise<ChatHistory> {
  const { conversation, frames } = await newestFrames(scope);
  const approvals = await approvalsOf(scope, frames);
  const fold = new ConversationFold();
  for (const frame of frames) fold.apply(frame, { ...noContext, approvals });
  return { conversation, messages: fold.messages(), seq: conversation.lastSeq };
}

/** Returns the `seq` of the live run's `run.started`; null without one, or if it is older than the events read. */
export async function startOfLiveRun(scope: ChatScope): Promise<number | null> {
  const { liveRunId } = await readConversation(scope);
  if (liveRunId === null) return null;
  const { frames } = await newestFrames(scope);
  const started = frames.find(({ payload }) => payload.type === 'run.started' && payload.runId === liveRunId);
  return started?.seq ?? null;
}

/**
 * Yields each message that changes or begins after a position, whole and as recorded. It covers what happens while no
 * answer streams, such as a settlement, a decision made elsewhere, or an automation. Ends with the signal.
 */
export async function* watchMessages(scope: ChatScope, after: number): AsyncGenerator<SentEvent, void> {
  const { lastSeq } = await readConversation(scope);
  const journal = new OpenJournal(scope, Math.max(0, Math.min(after, lastSeq) - eventsMax));
  const fold = new ConversationFold();
  try {
    for (;;) {
      const frame = await journal.next();
      if (frame === null || frame === 'late') return;
      if (frame.delivery === 'live') continue;
      await journal.readApprovalOf(frame);
      const changed = fold.apply(frame, journal.context);
      if (frame.seq <= after) continue;
      // Only the last message of a frame carries its position, so a reader that got some of them gets all of them
      // again.
      for (const [index, message] of changed.entries())
        yield index === changed.length - 1 ? { data: { message }, id: String(frame.seq) } : { data: { message } };
    }
  } finally {
    await journal.close();
  }
}

async function newestFrames(
  scope: ChatScope,
): Promise<{ conversation: Schemas['Conversation']; frames: readonly DurableFrame[] }> {
  const conversation = await readConversation(scope);
  const journal = new OpenJournal(scope, Math.max(0, conversation.lastSeq - eventsMax));
  const frames: DurableFrame[] = [];
  try {
    while ((frames.at(-1)?.seq ?? 0) < conversation.lastSeq) {
      const frame = await journal.next();
      if (frame === null || frame === 'late') break;
      if (frame.delivery === 'durable') frames.push(frame);
    }
  } finally {
    await journal.close();
  }
  return { conversation, frames };
}

/** Reads the approvals of frames, a few at a time. */
async function approvalsOf({ parley }: ChatScope, frames: readonly DurableFrame[]): Promise<Map<string, ReadApproval>> {
  const ids = frames.flatMap(({ payload }) => (payload.type === 'approval.opened' ? [payload.approvalId] : []));
  const approvals = new Map<string, ReadApproval>();
  const readers = Array.from({ length: readsMax }, async () => {
    for (let approvalId = ids.shift(); approvalId !== undefined; approvalId = ids.shift())
      approvals.set(approvalId, await parley.approvals.get({ approvalId }));
  });
  await Promise.all(readers);
  return approvals;
}
