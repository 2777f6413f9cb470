import { jitteredMs, pause } from '../retries.js';
import type { ParleyUIChunk } from './message.js';
import { sseEvents } from './sse.js';

/** Where the chunks of one answer come from. */
export interface ChunkSource {
  /** Asks for the answer. It is asked again where a connection broke before anything of it could be taken. */
  readonly first: (signal: AbortSignal) => Promise<Response>;
  /** Goes on after a cursor. */
  readonly goOn: (cursor: string, signal: AbortSignal) => Promise<Response>;
}

const firstDelayMs = 100;
const delayMaxMs = 4_000;

/**
 * One answer's chunks over as many connections as it takes: nothing is lost between two of them, and nothing given twice. Chunks are
 * held until the place after them is known, so that a cut in between takes none of them halfway.
 * Ends when the server says that the answer is told; throws what `ChunkSource` rejects with.
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
      // Cut, or silent for too long. What is not in order at the door, the door says.
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
  /** Whether the server has said that the answer is told. */
  isTold: boolean;
  /** Whether anything was taken from this connection. */
  hasMoved: boolean;
}

/** The chunks of one connection, group by group. */
async function* chunksOf({ body }: Response, place: Place): AsyncGenerator<ParleyUIChunk, void> {
  if (body === null) return;
  const held: ParleyUIChunk[] = [];
  for await (const { data, id } of sseEvents(body)) {
    if (data === '[DONE]') return;
    // Reason for the assertion: what `handleChat` sends.
    held.push(JSON.parse(data) as ParleyUIChunk);
    place.isTold = isLast(held.at(-1));
    if (id === undefined && !place.isTold) continue;
    place.cursor = id ?? place.cursor;
    place.hasMoved = true;
    yield* held.splice(0);
    if (place.isTold) return;
  }
}

/** The last chunk of an answer has no place after it. */
function isLast(chunk: ParleyUIChunk | undefined): boolean {
  return chunk?.type === 'finish' || chunk?.type === 'error' || chunk?.type === 'abort';
}
