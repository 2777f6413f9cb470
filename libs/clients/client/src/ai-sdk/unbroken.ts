import { jitteredMs, pause } from '../retries.js';
import type { ParleyUIChunk } from './message.js';
import { sseEvents } from './sse.js';

/** Requests for the chunks of one answer. */
export interface ChunkSource {
  /** Requests the answer. Called again if a connection broke before any of its chunks could be delivered. */
  readonly first: (signal: AbortSignal) => Promise<Response>;
  /** Continues after a cursor. */
  readonly goOn: (cursor: string, signal: AbortSignal) => Promise<Response>;
}

const firstDelayMs = 100;
const delayMaxMs = 4_000;

/**
 * Yields one answer's chunks over as many connections as necessary: none is lost between two of them, and none
 * repeated. Chunks are held back until the position after them is known, so that a break never leaves a group half
 * delivered.
 * Ends when the server says that the answer is complete; throws the errors of `ChunkSource`.
 */
export async function* unbrokenChunks(
  opened: Response,
  source: ChunkSource,
  signal: AbortSignal,
): AsyncGenerator<ParleyUIChunk, void> {
  let response = opened;
  const place: Place = { cursor: null, isTold: false, hasMoved: false };
  for (let failures = 0; ; failures += 1) {
    try {
      yield* chunksOf(response, place);
    } catch {
      // Broken, or silent for too long. If the server refuses, the next request reports it.
      signal.throwIfAborted();
    }
    if (place.isTold) return;
    if (place.hasMoved) failures = 0;
    await pause(jitteredMs(firstDelayMs, delayMaxMs, failures), signal);
    place.hasMoved = false;
    response = await (place.cursor === null ? source.first(signal) : source.goOn(place.cursor, signal));
  }
}

interface Place {
  cursor: string | null;
  /** Whether the server has said that the answer is complete. */
  isTold: boolean;
  /** Whether anything was taken from this connection. */
  hasMoved: boolean;
}

/** Yields the chunks of one connection, group by group. */
async function* chunksOf({ body }: Response, place: Place): AsyncGenerator<ParleyUIChunk, void> {
  if (body === null) return;
  const held: ParleyUIChunk[] = [];
  for await (const { data, id } of sseEvents(body)) {
    if (data === '[DONE]') return;
    // Reason for the assertion: `handleChat` sends this form.
    held.push(JSON.parse(data) as ParleyUIChunk);
    place.isTold = isLast(held.at(-1));
    if (id === undefined && !place.isTold) continue;
    place.cursor = id ?? place.cursor;
    place.hasMoved = true;
    yield* held.splice(0);
    if (place.isTold) return;
  }
}

/** Whether it is the last chunk of an answer, which has no position after it. */
function isLast(chunk: ParleyUIChunk | undefined): boolean {
  return chunk?.type === 'finish' || chunk?.type === 'error' || chunk?.type === 'abort';
}
