import { erasedText, wordsOr } from '../erased.js';
import { isProblem, isUnreachable } from '../problems.js';
import { openInterrupts, type Parley } from './decisions.js';
import type { AgUiInput } from './input.js';
import type { AgUiEvent, Interrupt, RunFinishedOutcome as Outcome } from './protocol.js';
import { messagesSnapshot, stateSnapshot, type RunEnd, type Thread } from './thread.js';

/** Yields the last event of an answer. Approvals that are still pending are asked for, again if necessary. */
export async function* finish(
  parley: Parley,
  { threadId, runId, state }: AgUiInput,
  thread: Thread,
): AsyncGenerator<AgUiEvent, void> {
  const { lastEnd } = thread;
  if (lastEnd?.status === 'failed') {
    const { text, reason } = lastEnd.failure ?? { text: 'The run failed', reason: 'engine_error' };
    yield { type: 'RUN_ERROR', message: text, code: reason };
    return;
  }
  const interrupts = await openInterrupts(parley, thread);
  if (interrupts.length > 0) yield* [messagesSnapshot(thread), stateSnapshot(thread, state)];
  yield { type: 'RUN_FINISHED', threadId, runId, ...outcomeOf(lastEnd, interrupts) };
}

function outcomeOf(end: RunEnd | null, interrupts: Interrupt[]): { outcome: Outcome; result?: unknown } {
  if (interrupts.length > 0) return { outcome: { type: 'interrupt', interrupts } };
  if (end?.status === 'aborted') return { outcome: { type: 'cancelled' } };
  // An erased output may have been none at all.
  const result = wordsOr(end?.output, null) ?? wordsOr(end?.response, { text: erasedText })?.text;
  return { outcome: { type: 'success' }, ...(result !== undefined && { result }) };
}

/** A request that AG-UI allows but Parley cannot serve. */
export class UnusableInput extends Error {}

/** A new message was sent while approvals are pending, which the client has to answer first. */
export class InterruptsOpen extends Error {
  constructor(readonly interrupts: readonly Interrupt[]) {
    super('Answer what the conversation waits for, before a new message');
  }
}

/**
 * Describes a failure by Parley's own reason. Rethrows errors that are not Parley's, so that the server's own log has
 * them. If `retryable`, the same request can be sent again; its effect then still happens only once.
 */
export function runError(error: unknown): AgUiEvent {
  if (isProblem(error)) {
    const { title, reason, type, status, retryable, requestId, retryAfterSeconds, issues } = error;
    const code = reason ?? type.split(':').at(-1) ?? 'internal';
    const parley = { status, retryable, requestId, retryAfterSeconds, issues };
    return { type: 'RUN_ERROR', message: title, code, metadata: { parley } };
  }
  if (isUnreachable(error)) {
    const { requestId } = error;
    const parley = { retryable: true, requestId };
    return { type: 'RUN_ERROR', message: 'Parley did not answer', code: 'unreachable', metadata: { parley } };
  }
  if (error instanceof InterruptsOpen) {
    const { message, interrupts } = error;
    const parley = { retryable: false, interrupts };
    return { type: 'RUN_ERROR', message, code: 'interrupts_open', metadata: { parley } };
  }
  if (error instanceof UnusableInput) return { type: 'RUN_ERROR', message: error.message, code: 'invalid_input' };
  throw error;
}
