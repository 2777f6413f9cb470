import { isReason, isUnreachable } from '../problems.js';
import type { Schemas } from '../types.js';
import { readCursor, type Cursor } from './cursor.js';
import type { ParleyUIChunk } from './message.js';
import { leavable, OpenJournal, readConversation, type ChatScope } from './open-journal.js';
import { initialRun } from './run-state.js';
import { sseBytes, uiMessageStreamHeaders } from './sse.js';
import { tellRun, type ChunkEvent, type TellingEnd } from './telling.js';

/** An answer to a request for consent. */
export interface ApprovalAnswer {
  readonly approvalId: string;
  readonly approved: boolean;
  /** The fingerprint of what the user was shown. */
  readonly fingerprint: string;
  /** The reason for a denial; the agent reads it. */
  readonly reason?: string;
}

/** The page's request. */
export type ChatRequest =
  | {
      /** A message of the user. Sent again with the same `runId`, it is the same message. */
      readonly type: 'send';
      readonly runId: string;
      readonly text: string;
      readonly artifactIds?: readonly string[];
      /** Set it on your server: a page should not choose its own model. */
      readonly profile?: Schemas['RunProfile'];
    }
  | { readonly type: 'answer'; readonly cursor: string; readonly answers: readonly ApprovalAnswer[] }
  /** Continues exactly where a connection broke. */
  | { readonly type: 'resume'; readonly cursor: string }
  /** Streams a run again from its beginning. @member startedSeq `seq` of its `run.started` */
  | { readonly type: 'replay'; readonly startedSeq: number };

export interface UIMessageStreamOptions extends ChatScope, TellingEnd {
  readonly request: ChatRequest;
}

/** The cursor does not belong to this conversation. */
export class UnknownCursor extends Error {
  override readonly name = 'UnknownCursor';
}

/**
 * Does what the page asks and streams the result as the AI SDK's UI message chunks, until the run is over (including
 * its transfers, unless `until` says otherwise) or waits for consent. Rejects before the first chunk with the errors of
 * `@parley/client`, and with UnknownCursor.
 */
export async function toUIMessageStream(options: UIMessageStreamOptions): Promise<ReadableStream<ParleyUIChunk>> {
  const { scope, leave } = leavable(options);
  const source = await chunkEvents(scope);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(value.data);
    },
    cancel: leave,
  });
}

/**
 * Returns the same as a response: server-sent events with the header `x-vercel-ai-ui-message-stream: v1`. Events carry
 * ids, so that `ParleyChatTransport` can continue after a broken connection without a gap; other readers ignore them.
 */
export async function toUIMessageStreamResponse(options: UIMessageStreamOptions): Promise<Response> {
  const { scope, leave } = leavable(options);
  return new Response(sseBytes(await chunkEvents(scope), leave), { headers: uiMessageStreamHeaders });
}

async function chunkEvents(options: UIMessageStreamOptions): Promise<AsyncGenerator<ChunkEvent, void>> {
  const { request } = options;
  switch (request.type) {
    case 'send':
      return send(options, request);
    case 'answer':
      return resume(options, request.cursor, request.answers);
    case 'resume':
      return resume(options, request.cursor, null);
    case 'replay':
      return replay(options, request.startedSeq);
  }
}

async function send(
  options: UIMessageStreamOptions,
  { runId, text, artifactIds, profile }: Extract<ChatRequest, { type: 'send' }>,
): Promise<AsyncGenerator<ChunkEvent, void>> {
  const { parley, conversationId } = options;
  const { lastSeq } = await readConversation(options);
  const journal = new OpenJournal(options, lastSeq);
  let seq: number;
  try {
    // Opened before the run begins, so that no word of it is missed.
    await journal.opened;
    journal.hearsAllAfter(lastSeq);
    const input = { text, ...(artifactIds !== undefined && { artifactIds: [...artifactIds] }) };
    const profileOf = profile === undefined ? {} : { profile };
    seq = (await parley.runs.start({ runId, conversationId, input, ...profileOf })).seq;
    if (seq > lastSeq) return tellRun(journal, { ...untold, state: initialRun(runId), headSeq: seq }, options);
  } catch (error) {
    await journal.close();
    throw error;
  }
  await journal.close();
  // The message was sent before: stream its run from the beginning, as recorded.
  return replay(options, seq);
}

const untold = { toldSeq: 0, shown: [], opens: false } as const;

/** Streams a run from its beginning, for a reader that has nothing of it. @param startedSeq `seq` of its `run.started` */
async function replay(options: UIMessageStreamOptions, startedSeq: number): Promise<AsyncGenerator<ChunkEvent, void>> {
  return tellFrom(options, { startedSeq, seq: startedSeq - 1, shown: [] }, false);
}

async function resume(
  options: UIMessageStreamOptions,
  cursor: string,
  answers: readonly ApprovalAnswer[] | null,
): Promise<AsyncGenerator<ChunkEvent, void>> {
  const place = readCursor(cursor);
  if (place === null) throw new UnknownCursor('not a cursor');
  if (answers !== null) await decide(options, answers);
  return tellFrom(options, place, answers !== null);
}

/** @param opens whether to open the message for its reader at that place */
async function tellFrom(
  options: UIMessageStreamOptions,
  { startedSeq, seq: toldSeq, shown }: Cursor,
  opens: boolean,
): Promise<AsyncGenerator<ChunkEvent, void>> {
  const { lastSeq: headSeq } = await readConversation(options);
  if (startedSeq > headSeq) throw new UnknownCursor('past the end');
  const journal = new OpenJournal(options, startedSeq - 1);
  try {
    const first = await journal.peek();
    if (first?.delivery !== 'durable' || first.payload.type !== 'run.started')
      throw new UnknownCursor('no run begins there');
    const state = initialRun(first.payload.runId);
    return tellRun(journal, { state, toldSeq, shown, opens, headSeq }, options);
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/**
 * Records answers, each at most once: an approval that was already decided, here or elsewhere, keeps its decision, and
 * the journal reports it. Rejects when an answer could not be recorded; the ones before it are recorded.
 */
async function decide({ parley }: ChatScope, answers: readonly ApprovalAnswer[]): Promise<void> {
  for (const { approvalId, approved, fingerprint, reason } of answers) {
    try {
      if (approved) await parley.approvals.approve({ approvalId, fingerprint });
      else await parley.approvals.deny({ approvalId, ...(reason !== undefined && reason !== '' && { reason }) });
    } catch (error) {
      if (isReason(error, 'approval_not_pending')) continue;
      if (!isUnreachable(error)) throw error;
      // The response to the answer was lost: the recorded status says whether the answer arrived.
      const { status } = await parley.approvals.get({ approvalId });
      if (status === 'pending') throw error;
    }
  }
}
