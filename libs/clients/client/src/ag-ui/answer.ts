import { isProblem } from '../problems.js';
import type { Schemas } from '../types.js';
import { catchUp, type CaughtUp } from './catch-up.js';
import { decide, openInterrupts, type Parley } from './decisions.js';
import { finish, InterruptsOpen, runError, UnusableInput } from './finish.js';
import { follow } from './follow.js';
import { newestOf, readAgUiInput, textOf, type AgUiInput } from './input.js';
import { protocolVersion, type AgUiEvent } from './protocol.js';
import { agUiResponse } from './sse.js';
import type { Thread, ThreadOperation } from './thread.js';

const settleWaitMsDefault = 60_000;

export interface AgUiRequest {
  /** A client that acts for the owner of the conversation. */
  readonly parley: Parley;
  /** The body of the request, parsed: a `RunAgentInput`. Bound its size where you read it. */
  readonly input: unknown;
  /** Profile of the runs that it starts. Your server chooses it: a browser cannot. */
  readonly profile?: Schemas['StartRun']['profile'];
  /** How long the answer stays open for transfers in flight after the last run ended. Default 60,000. */
  readonly settleWaitMs?: number;
  /** Ends the answer. */
  readonly signal?: AbortSignal;
}

/**
 * Answers a request of an AG-UI client: 400 if the input is not a `RunAgentInput`, otherwise its events as server-sent
 * events.
 *
 * If the last message is the user's, it starts a run: only once, however often it is sent, and only if no approval is
 * pending. `resume` decides approvals. Without either, the answer follows the conversation until nothing is running any
 * more. A client whose connection broke sends the same request again and receives what it missed.
 */
export function answerAgUi(request: AgUiRequest): Response {
  const input = readAgUiInput(request.input);
  if ('issues' in input) {
    const problem = { title: 'No RunAgentInput', reason: 'invalid_input', issues: input.issues };
    return Response.json(problem, { status: 400 });
  }
  const gone = new AbortController();
  const signals = request.signal === undefined ? [gone.signal] : [gone.signal, request.signal];
  return agUiResponse(eventsOf(request, input, AbortSignal.any(signals)), () => gone.abort());
}

async function* eventsOf(request: AgUiRequest, input: AgUiInput, signal: AbortSignal): AsyncGenerator<AgUiEvent, void> {
  const { threadId, runId } = input;
  const over = new AbortController();
  yield { type: 'RUN_STARTED', threadId, runId, protocolVersion };
  try {
    const message = newestOf(input);
    const sent = message === null ? null : await runIdOf(threadId, message.id);
    const caughtUp = yield* catchUp(request.parley, input, sent, AbortSignal.any([signal, over.signal]));
    signal.throwIfAborted();
    const target = yield* act(request, input, sent, caughtUp);
    const isOver = overAt(target, request.settleWaitMs ?? settleWaitMsDefault, over);
    const thread = yield* follow(caughtUp.frames, caughtUp.thread, isOver);
    if (!signal.aborted) yield* finish(request.parley, input, thread);
  } catch (error) {
    if (!signal.aborted) yield runError(error);
  } finally {
    over.abort();
  }
}

/** Returns the `seq` up to which to follow the request's effect. Throws as calls do; UnusableInput; InterruptsOpen. */
async function* act(
  request: AgUiRequest,
  input: AgUiInput,
  runId: string | null,
  { lastSeq, thread }: CaughtUp,
): AsyncGenerator<AgUiEvent, number> {
  const { parley, profile } = request;
  const { threadId: conversationId, resume } = input;
  if (resume.length > 0) {
    // Answers are sent on their own: a message next to them would be neither sent nor shown.
    if (runId !== null && !(await isSent(parley, runId)))
      throw new UnusableInput('Send what was answered and a new message one after the other');
    yield* decide(parley, resume);
    return (await parley.conversations.get({ conversationId })).lastSeq;
  }
  const message = newestOf(input);
  if (message === null || runId === null) return lastSeq;
  const text = textOf(message);
  if (text === null) throw new UnusableInput('A message is text; files are uploaded with artifacts.upload');
  // Source: AG-UI 1.0, "Interrupts", "Pending interrupts block new input"; a message that is sent again is not new
  // input.
  const open = await openInterrupts(parley, thread);
  if (open.length > 0 && !(await isSent(parley, runId))) throw new InterruptsOpen(open);
  const { seq } = await parley.runs.start({ conversationId, runId, input: { text }, profile });
  return seq;
}

/** Whether a message's run exists. Throws as calls do. */
async function isSent(parley: Parley, runId: string): Promise<boolean> {
  try {
    await parley.runs.get({ runId });
    return true;
  } catch (error) {
    if (!isProblem(error) || error.status !== 404) throw error;
    return false;
  }
}

/**
 * Returns a predicate: whether everything up to a `seq` was published and nothing is running any more. It waits for
 * transfers in flight, but at most `settleWaitMs` after their submission; then `over` is aborted.
 */
function overAt(target: number, settleWaitMs: number, over: AbortController): (thread: Thread) => boolean {
  let timer: ReturnType<typeof setTimeout> | undefined;
  over.signal.addEventListener('abort', () => clearTimeout(timer));
  return ({ cursor, liveRunId, pending, operations }) => {
    clearTimeout(timer);
    if (cursor < target || liveRunId !== null) return false;
    const waitMs = Math.max(0, ...Object.values(operations).map((one) => leftMs(one, settleWaitMs)));
    if (pending.size > 0 || waitMs === 0) return true;
    timer = setTimeout(() => over.abort(), waitMs);
    return false;
  };
}

function leftMs({ status, submittedAt }: ThreadOperation, settleWaitMs: number): number {
  if (status !== 'submitted') return 0;
  const leftMs = Date.parse(submittedAt) + settleWaitMs - Date.now();
  // A sandbox's clock can be far ahead.
  return Number.isNaN(leftMs) ? 0 : Math.min(Math.max(0, leftMs), settleWaitMs);
}

const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Returns the id of the run that a message starts: the message's own id if it is a UUID, else a UUIDv5 of it in its
 * conversation. So a message that is sent again finds the run that it started, whatever `runId` its request has.
 */
async function runIdOf(conversationId: string, messageId: string): Promise<string> {
  const own = messageId.toLowerCase();
  if (uuidForm.test(own)) return own;
  const namespace = Uint8Array.from(conversationId.replaceAll('-', '').match(/../g) ?? [], (byte) =>
    parseInt(byte, 16),
  );
  const name = new TextEncoder().encode(messageId);
  const whole = new Uint8Array(namespace.length + name.length);
  whole.set(namespace);
  whole.set(name, namespace.length);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-1', whole)).slice(0, 16);
  // Version 5 and the variant of RFC 9562.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
