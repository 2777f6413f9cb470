import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Ends the request for which something is fetched, at once: what is too large once is so again, and a stream that broke off would be
 * resumed. The client says with no fetch which request it is for, also where it resumes one later.
 */
export const requestUnderWay = new AsyncLocalStorage<{ breakOff(why: string): void }>();

const tooLarge = 'the answer is too large';

/** The end of a session is told as a courtesy; a server that hangs must not keep this process from ending. */
const farewellWithinMs = 1000;

/** For what comes without a signal of its own: the way to an issuer of tokens. */
const answersWithinMs = 10_000;

/** What ends an event of an event stream. */
const blankLines = ['\n\n', '\r\n\r\n', '\r\r'];

/**
 * A fetch for the protocol's HTTP transport: no message that it reads is larger than the bound, and `headers`, which may hold
 * credentials, go to the origin of the server and nowhere else (an issuer of tokens is asked by the same fetch).
 */
export function boundedFetch(server: URL, headers: Readonly<Record<string, string>>, bytesMax: number): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const sent = new Headers(init?.headers);
    if (url.origin === server.origin) for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const signal =
      init?.method === 'DELETE'
        ? AbortSignal.timeout(farewellWithinMs)
        : (init?.signal ?? AbortSignal.timeout(answersWithinMs));
    const response = await fetch(input, { ...init, headers: sent, signal });
    if (response.body === null) return response;
    const request = requestUnderWay.getStore();
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    return withBody(
      response,
      response.body.pipeThrough(bounded(bytesMax, isStream, () => request?.breakOff(tooLarge))),
    );
  };
}

/** The same answer with another body. Its URL is kept: by it the transport says where a redirect was seen. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url } = response;
  const other = new Response(body, { status, statusText, headers });
  return Object.defineProperty(other, 'url', { value: url });
}

/** Fails a body that is too large. An event stream has no end, so the bound is for each event. */
function bounded(bytesMax: number, isStream: boolean, onTooLarge: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let tail = '';
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (isStream) {
        const text = tail + Buffer.from(chunk).toString('latin1');
        const end = Math.max(...blankLines.map((line) => text.lastIndexOf(line)));
        if (end >= 0) bytes = text.length - end;
        tail = text.slice(-3);
      }
      if (bytes <= bytesMax) return controller.enqueue(chunk);
      onTooLarge();
      controller.error(new RangeError(tooLarge));
    },
  });
}
