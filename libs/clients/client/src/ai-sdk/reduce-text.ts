import { hashOf } from './cursor.js';
import type { ParleyUIChunk } from './message.js';
import { andThen, silent, type OpenText, type RunState, type Told } from './run-state.js';

interface Said {
  readonly kind: OpenText['kind'];
  readonly messageId: string;
  readonly text: string;
}

/** Handles live text. It is shown only if all text before it was; a message with a gap waits until it is recorded. */
export function tellWords(state: RunState, said: Said): Told {
  if (said.text === '') return silent(state);
  const known = state.open.find(({ messageId }) => messageId === said.messageId);
  if (known !== undefined) return known.isFollowed ? tellMore(state, known, said.text) : silent(state);
  if (!state.follows) return silent(state);
  const fresh: OpenText = { kind: said.kind, messageId: said.messageId, length: 0, hash: hashOf(''), isFollowed: true };
  return andThen(
    andThen(enterLiveStep(state), (next) => begin(next, fresh)),
    (next) => tellMore(next, fresh, said.text),
  );
}

/** Handles a recorded message: shows the part that was not shown yet. */
export function tellWhole(state: RunState, said: Said): Told {
  const known = state.open.find(({ messageId }) => messageId === said.messageId);
  if (known !== undefined && isBeginningOf(known, said.text)) {
    const rest = said.text.slice(known.length);
    const told = rest === '' ? silent(state) : tellMore(state, known, rest);
    return andThen(told, (next) => end(next, known));
  }
  const withdrawn = known === undefined ? silent(state) : end(state, known, 'withdrawn');
  if (said.text === '') return withdrawn;
  const whole: OpenText = { kind: said.kind, messageId: said.messageId, length: 0, hash: hashOf(''), isFollowed: true };
  const begun = andThen(withdrawn, (next) => begin(next, whole));
  return andThen(
    andThen(begun, (next) => tellMore(next, whole, said.text)),
    (next) => end(next, whole),
  );
}

/** Begins the step of a recorded `agent.step`, unless its live text already began it. */
export function enterRecordedStep(state: RunState): Told {
  if (state.step === 'live') return silent({ ...state, step: 'recorded' });
  return andThen(leaveStep(state), (next) => ({
    state: { ...next, step: 'recorded' },
    chunks: [{ type: 'start-step' }],
  }));
}

/** Ends the current step. */
export function leaveStep(state: RunState): Told {
  return andThen(withdrawOpen(state), (next) =>
    next.step === 'none' ? silent(next) : { state: { ...next, step: 'none' }, chunks: [{ type: 'finish-step' }] },
  );
}

/** Withdraws text that was shown and never recorded: its process was lost, and another one answers again. */
export function withdrawOpen(state: RunState): Told {
  return state.open.reduce((told, open) => andThen(told, (next) => end(next, open, 'withdrawn')), silent(state));
}

function enterLiveStep(state: RunState): Told {
  if (state.step === 'live') return silent(state);
  return andThen(leaveStep(state), (next) => ({ state: { ...next, step: 'live' }, chunks: [{ type: 'start-step' }] }));
}

function begin(state: RunState, text: OpenText): Told {
  return {
    state: { ...state, open: [...state.open, text] },
    chunks: [{ type: `${text.kind}-start`, id: text.messageId }],
  };
}

function tellMore(state: RunState, { kind, messageId }: OpenText, delta: string): Told {
  const open = state.open.map((one) =>
    one.messageId === messageId ? { ...one, length: one.length + delta.length, hash: hashOf(delta, one.hash) } : one,
  );
  return { state: { ...state, open }, chunks: [{ type: `${kind}-delta`, id: messageId, delta }] };
}

function end(state: RunState, { kind, messageId }: OpenText, how: 'whole' | 'withdrawn' = 'whole'): Told {
  const mark = how === 'withdrawn' ? { providerMetadata: { parley: { withdrawn: true } } } : {};
  const chunk: ParleyUIChunk = { type: `${kind}-end`, id: messageId, ...mark };
  return { state: { ...state, open: state.open.filter((one) => one.messageId !== messageId) }, chunks: [chunk] };
}

function isBeginningOf({ length, hash }: OpenText, text: string): boolean {
  return length <= text.length && hashOf(text.slice(0, length)) === hash;
}
