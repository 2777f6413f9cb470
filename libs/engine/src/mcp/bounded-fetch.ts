/** The code of an error that stands for a body which broke; it is none of the protocol's. */
export const brokenBodyCode = -32_099;

/** The end of a session is told as a courtesy; a server that hangs must not keep this process from ending. */
const farewellWithinMs = 1000;

/**
 * A fetch for the protocol's HTTP transport that reads so many bytes of an answer and no more. An event stream that breaks, is too
 * large or ends too early becomes an error for the request that it answers, which would otherwise wait for its time-out. The
 * stream of a server's own messages is not opened: nothing listens to them.
 */
export function boundedFetch(bytesMax: number): typeof fetch {
  return async (input, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const patience = init?.method === 'DELETE' ? { signal: AbortSignal.timeout(farewellWithinMs) } : {};
    const response = await fetch(input, { ...init, ...patience });
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const requestId = isStream ? requestIdIn(init?.body) : null;
    const chunks = bounded(response.body, bytesMax, requestId);
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return(undefined)),
    });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

async function* bounded(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
  requestId: number | null,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let left = bytesMax;
  let why = 'the stream ended without an answer';
  try {
    for await (const chunk of body) {
      left -= chunk.byteLength;
      if (left < 0) throw new RangeError('the answer is too large');
      yield chunk;
    }
  } catch (error) {
    if (requestId === null) throw error;
    why = error instanceof Error ? error.message : 'the stream broke';
  }
  if (requestId !== null) yield errorFrame(requestId, why);
  return undefined;
}

/** Whoever has had an answer already ignores it. The blank line ends whatever was cut off. */
function errorFrame(id: number, message: string): Uint8Array<ArrayBuffer> {
  const error = { jsonrpc: '2.0', id, error: { code: brokenBodyCode, message } };
  return Buffer.from(`\n\nevent: message\ndata: ${JSON.stringify(error)}\n\n`);
}

/** The id of the request that a body holds; null for a notification. */
function requestIdIn(body: unknown): number | null {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : null;
  const hasId = typeof message === 'object' && message !== null && 'id' in message && 'method' in message;
  return hasId && typeof message.id === 'number' ? message.id : null;
}
