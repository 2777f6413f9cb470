import type { JournalFrame } from '../types.js';
import type { ParleyUIChunk } from './message.js';
import type { OpenJournal } from './open-journal.js';
import { finishOf, loseTrack, reduce, startOf, withShown } from './reduce.js';
import { cursorOf, isAtRest, isOver, isSettled, type RunState } from './run-state.js';
import type { ShownText } from './cursor.js';
import type { SentEvent } from './sse.js';

/** A chunk of the stream. If it has an `id`, all chunks up to it can be taken, and `id` is the cursor after it. */
export interface ChunkEvent extends SentEvent {
  readonly data: ParleyUIChunk;
}

/** The starting point of a stream. */
export interface Beginning {
  readonly state: RunState;
  /** Frames up to this one were already streamed and are only folded. */
  readonly toldSeq: number;
  readonly shown: readonly ShownText[];
  /** Whether to open the message for its reader, which does not have it open. */
  readonly opens: boolean;
  /** End of the journal when the stream was requested: until then the run is not considered over or waiting. */
  readonly headSeq: number;
}

export interface TellingEnd {
  /** `ended`: the stream ends with the run; `settled` (default): with its last settlement. */
  readonly until?: 'ended' | 'settled';
  /** How long to wait for settlements after the run has ended. Default 60,000. */
  readonly settledWithinMs?: number;
}

const settledWithinMsDefault = 60_000;

/** Streams one run from a position until it is over or waits for consent. Closes the journal. */
export async function* tellRun(
  journal: OpenJournal,
  beginning: Beginning,
  { until = 'settled', settledWithinMs = settledWithinMsDefault }: TellingEnd,
): AsyncGenerator<ChunkEvent, void> {
  let { state } = beginning;
  let settledBy = Number.POSITIVE_INFINITY;
  const isDone = (): boolean =>
    state.seq >= beginning.headSeq && isAtRest(state) && (until === 'ended' || !isOver(state) || isSettled(state));
  try {
    while (!isDone()) {
      if (isOver(state) && settledBy === Number.POSITIVE_INFINITY) settledBy = performance.now() + settledWithinMs;
      const leftMs = Number.isFinite(settledBy) ? Math.max(0, settledBy - performance.now()) : null;
      const frame = await journal.next(leftMs);
      if (frame === null) return;
      if (frame === 'late') break;
      if (journal.wasReopened()) state = loseTrack(state);
      const told = await tellFrame(journal, state, frame, beginning);
      state = told.state;
      yield* events(told.chunks, state);
    }
    yield* events(finishOf(state), null);
  } finally {
    await journal.close();
  }
}

/** Folds a frame, and returns its chunks if they were not streamed before. */
async function tellFrame(
  journal: OpenJournal,
  state: RunState,
  frame: JournalFrame,
  { toldSeq, shown, opens }: Beginning,
): Promise<{ state: RunState; chunks: readonly ParleyUIChunk[] }> {
  if (frame.delivery === 'live')
    return state.seq < toldSeq ? { state, chunks: [] } : reduce(state, frame, journal.context);
  if (frame.seq > toldSeq) {
    await journal.readApprovalOf(frame);
    return reduce(state, frame, journal.context);
  }
  const folded = reduce(state, frame, journal.context).state;
  if (frame.seq < toldSeq) return { state: folded, chunks: [] };
  const there = withShown(folded, shown);
  return { state: there, chunks: opens ? [startOf(there)] : [] };
}

/** @param state null: there is no position after these chunks; a reader that misses them requests them again */
function* events(chunks: readonly ParleyUIChunk[], state: RunState | null): Generator<ChunkEvent, void> {
  for (const [index, data] of chunks.entries()) {
    const isLast = index === chunks.length - 1;
    yield state !== null && isLast ? { data, id: cursorOf(state) } : { data };
  }
}
