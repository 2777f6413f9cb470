import { hostOf } from './base-url.js';
import { connectionFailure, outcomeUnknown } from './connection-failure.js';
import { ParleyProblem, ParleyUnreachable, problemOf } from './problems.js';
import { retryAfterSeconds } from './retries.js';

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** Largest answer that is accepted: well above the largest artifact. */
const answerBytesMax = 64 * 1024 * 1024;
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304]);
export interface Attempt {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: RequestInit;
  readonly requestId: string;
  /** Ends the attempt; it then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Limit for the attempt, including reading the whole answer. */
  readonly timeoutMs: number;
}

/** Sends one request and reads its whole answer. Throws ParleyProblem, ParleyUnreachable, or the signal's reason. */
export async function attemptWhole(attempt: Attempt, expectsJson: boolean): Promise<Response> {
  const { signal, timeoutMs } = attempt;
  return withTimeout({ signal, timeoutMs, staysOpen: false }, async (inner, timedOut) => {
    try {
      const response = await attempt.fetch(attempt.url, { ...attempt.init, redirect: 'manual', signal: inner });
      const bytes = await readWhole(response, inner);
      if (!response.ok) throw failureOf(response, bytes, attempt);
      if (expectsJson && !statusesWithoutBody.has(response.status)) mustBeJson(response, bytes, attempt);
      return rebuilt(response, bytes);
    } catch (error) {
      signal.throwIfAborted();
      throw unreached(error, attempt, timedOut());
    }
  });
}

/** Sends one request whose answer is a stream; resolves as soon as the headers arrive. Throws like `attemptWhole`. */
export async function attemptStream(attempt: Attempt, mediaType: string): Promise<ReadableStream<Uint8Array>> {
  const { signal, timeoutMs } = attempt;
  return withTimeout({ signal, timeoutMs, staysOpen: true }, async (inner, timedOut) => {
    try {
      const response = await attempt.fetch(attempt.url, { ...attempt.init, redirect: 'manual', signal: inner });
      if (!response.ok) throw failureOf(response, await readWhole(response, inner), attempt);
      const { body } = response;
      if (body !== null && mediaTypeOf(response) === mediaType) return body;
      await body?.cancel();
      throw notTheService(response, attempt);
    } catch (error) {
      signal.throwIfAborted();
      throw unreached(error, attempt, timedOut());
    }
  });
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whether the outer signal still applies after `work` returns, to what it left open, such as a body. */
  readonly staysOpen: boolean;
}

/** Runs `work` with a signal that aborts with the outer one and after the timeout. */
async function withTimeout<Value>(
  { signal: outer, timeoutMs, staysOpen }: Bounds,
  work: (inner: AbortSignal, timedOut: () => boolean) => Promise<Value>,
): Promise<Value> {
  outer.throwIfAborted();
  const controller = new AbortController();
  let late = false;
  let open = false;
  const stop = (): void => controller.abort(outer.reason);
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeoutMs);
  outer.addEventListener('abort', stop, { once: true });
  try {
    const value = await work(controller.signal, () => late);
    open = staysOpen;
    return value;
  } finally {
    clearTimeout(timer);
    if (!open) outer.removeEventListener('abort', stop);
  }
}

/** Ends a wait when the signal aborts: a body that Node 20 is decompressing then never settles by itself. */
function endedBy(signal: AbortSignal): <Value>(read: Promise<Value>) => Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new Error('the attempt was ended'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  aborted.catch(() => undefined); // there may be no reader waiting
  return (read) => {
    read.catch(() => undefined); // after an abort no reader waits for it
    return Promise.race([read, aborted]);
  };
}

async function readWhole(response: Response, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  // With a reader, because not every browser can iterate a stream.
  const reader = response.body.getReader();
  const next = endedBy(signal);
  for (let read = await next(reader.read()); !read.done; read = await next(reader.read())) {
    length += read.value.length;
    if (length > answerBytesMax) {
      void reader.cancel().catch(() => undefined); // it may be broken already
      throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
    }
    chunks.push(read.value);
  }
  const whole = new Uint8Array(length);
  chunks.reduce((at, chunk) => {
    whole.set(chunk, at);
    return at + chunk.length;
  }, 0);
  return whole;
}

function rebuilt(response: Response, bytes: Uint8Array<ArrayBuffer>): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // These headers describe the encoded body; `fetch` has already decoded it.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  return new Response(statusesWithoutBody.has(status) ? null : bytes, { status, statusText, headers });
}

function failureOf(response: Response, bytes: Uint8Array, attempt: Attempt): Error {
  const isProblem = mediaTypeOf(response) === 'application/problem+json';
  const problem = isProblem ? problemOf(parseJson(bytes)) : null;
  return problem === null
    ? notTheService(response, attempt)
    : new ParleyProblem(problem, retryAfterSeconds(response.headers));
}

function mustBeJson(response: Response, bytes: Uint8Array, attempt: Attempt): void {
  if (mediaTypeOf(response) !== 'application/json' || parseJson(bytes) === undefined)
    throw notTheService(response, attempt);
}

function notTheService(response: Response, { url, requestId }: Attempt): ParleyUnreachable {
  const { status } = response;
  const host = hostOf(url);
  const kind = mediaTypeOf(response) || 'no media type';
  const what = `The answer of ${host} (${status}, ${kind}) is none of the service's: ${outcomeUnknown}`;
  const asked = retryAfterSeconds(response.headers);
  return new ParleyUnreachable(what, {
    kind: 'answer',
    outcome: 'unknown',
    host,
    requestId,
    status,
    retryAfterSeconds: asked,
  });
}

function mediaTypeOf(response: Response): string {
  return response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Returns undefined when the bytes are not JSON. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return value;
  } catch {
    // The caller reports it in its own words.
    return undefined;
  }
}

/** The error to reject with when no whole answer was received. */
function unreached(error: unknown, { url, requestId, timeoutMs }: Attempt, late: boolean): Error {
  if (error instanceof ParleyProblem || error instanceof ParleyUnreachable) return error;
  if (!late) return connectionFailure(error, url, requestId);
  const host = hostOf(url);
  const message = `No whole answer from ${host} in ${timeoutMs} ms: ${outcomeUnknown}`;
  return new ParleyUnreachable(message, { kind: 'timeout', outcome: 'unknown', host, requestId });
}
