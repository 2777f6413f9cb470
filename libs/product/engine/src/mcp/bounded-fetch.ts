import { endingWith } from '@app/runtime';
import { AsyncLocalStorage } from 'node:async_hooks';
import { keepNumbersOf } from './exact-numbers';
import type { ResumptionPauses } from './resumption-pauses';

/**
 * The request that a fetch serves. `breakOff` fails it at once, because an answer that was too large once would be so again, and the client
 * would resume a stream that broke off. Kept in async storage because the client does not pass the request to a fetch, nor when it resumes
 * one later. `lastEventId` is the event after which the request's stream was last resumed.
 */
export const requestUnderWay = new AsyncLocalStorage<{
  breakOff(why: string): void;
  lastEventId: string | null;
  readonly pauses: ResumptionPauses;
}>();

const tooLarge = 'the answer is too large';

/** Ending a session is a courtesy; a server that hangs must not keep this process from ending. */
const farewellWithinMs = 1000;

/** For fetches without a signal of their own: requests to an issuer of tokens. */
const answersWithinMs = 10_000;

/** The end of an event in an event stream. */
const blankLine = /\n\n|\r\n\r\n|\r\r/g;
const endOfEvent = Buffer.from('\n\n');

/**
 * Returns a fetch for the protocol's HTTP transport. It reads no message larger than the bound, and sends `headers`, which may hold
 * credentials, to the origin of the server alone (requests to an issuer of tokens use the same fetch). It follows no redirect: the SDK
 * does, within an origin, by a further request.
 */
export function boundedFetch(server: URL, headers: Readonly<Record<string, string>>, bytesMax: number): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const sent = new Headers(init?.headers);
    if (url.origin === server.origin) for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    resumeAfterLastEvent(init, sent);
    const signal =
      init?.method === 'DELETE'
        ? AbortSignal.timeout(farewellWithinMs)
        : (init?.signal ?? AbortSignal.timeout(answersWithinMs));
    const response = endingWith(await fetch(input, { ...init, headers: sent, redirect: 'manual', signal }), signal);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const request = requestUnderWay.getStore();
    const within =
      isStream && request === undefined
        ? withoutLargeEvents(bytesMax)
        : limitBytes(bytesMax, isStream, () => request?.breakOff(tooLarge));
    return withBody(response, response.body.pipeThrough(within).pipeThrough(keepNumbersOf(isStream)));
  };
}

/**
 * Keeps the event after which a request's stream is resumed, and names it again where the client does not: the client forgets it when a
 * resumed stream drops before its first event (modelcontextprotocol/typescript-sdk issue 2499), and the answer would be lost.
 * Other requests stay as they are, such as those for the metadata of an issuer of tokens.
 */
function resumeAfterLastEvent(init: RequestInit | undefined, sent: Headers): void {
  const request = requestUnderWay.getStore();
  const opensStream = init?.method === 'GET' && sent.get('accept')?.includes('text/event-stream');
  if (request === undefined || !opensStream) return;
  request.lastEventId = sent.get('last-event-id') ?? request.lastEventId;
  if (request.lastEventId !== null) sent.set('last-event-id', request.lastEventId);
}

/** The same response with another body. Its URL is kept, because the transport reports by it where a redirect was seen. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url } = response;
  const other = new Response(body, { status, statusText, headers });
  return Object.defineProperty(other, 'url', { value: url });
}

/** Fails a body that is too large. An event stream has no end, so the bound is for each event. */
function limitBytes(
  bytesMax: number,
  isStream: boolean,
  onTooLarge: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  const event = new EventLength();
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes = isStream ? event.count(chunk).bytes : bytes + chunk.byteLength;
      if (bytes <= bytesMax) return controller.enqueue(chunk);
      onTooLarge();
      controller.error(new RangeError(tooLarge));
    },
  });
}

/**
 * Drops the remainder of an event that is too large, and continues with the next one: no caller waits for what a server sends unasked, and
 * a stream that broke off would be resumed at the same event. The part passed on before is meaningless, and the client reports it so.
 */
function withoutLargeEvents(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  const event = new EventLength();
  let isLeavingOut = false;
  return new TransformStream({
    transform(chunk, controller) {
      const { bytes, firstEnd, lastEnd } = event.count(chunk);
      if (isLeavingOut && firstEnd === null) return;
      if (isLeavingOut) controller.enqueue(endOfEvent);
      controller.enqueue(chunk.subarray(isLeavingOut ? (firstEnd ?? 0) : 0, lastEnd ?? 0));
      isLeavingOut = bytes > bytesMax;
      if (!isLeavingOut) controller.enqueue(chunk.subarray(lastEnd ?? 0));
    },
  });
}

/** Measures the events of an event stream, chunk by chunk. */
class EventLength {
  private bytes = 0;
  private tail = '';

  /**
   * @returns the bytes of the event that continues after the chunk, and where in the chunk the first and the last event end, if any does
   */
  count(chunk: Uint8Array): EventEnds {
    const text = this.tail + Buffer.from(chunk).toString('latin1');
    const inChunk = (end: number) => Math.max(0, end - this.tail.length);
    const ends = [...text.matchAll(blankLine)].map(({ 0: line, index }) => index + line.length);
    const [first, last] = [ends[0], ends.at(-1)];
    const found = {
      bytes: last === undefined ? this.bytes + chunk.byteLength : text.length - last,
      firstEnd: first === undefined ? null : inChunk(first),
      lastEnd: last === undefined ? null : inChunk(last),
    };
    this.bytes = found.bytes;
    this.tail = text.slice(-3);
    return found;
  }
}

interface EventEnds {
  readonly bytes: number;
  readonly firstEnd: number | null;
  readonly lastEnd: number | null;
}
