import { ParleyProblem, ParleyUnreachable, problemOf, type Unreached } from './problems.js';
import { retryAfterSeconds } from './retries.js';

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** The largest answer that is taken: well over the largest artifact. */
const answerBytesMax = 64 * 1024 * 1024;
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304]);
/** Error codes of connections that were never established: nothing was sent. */
const notConnected: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);
const causesMax = 10;

export interface Attempt {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: RequestInit;
  readonly requestId: string;
  /** Ends the attempt; it then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Up to the whole answer. */
  readonly timeoutMs: number;
}

/** One request, and its whole answer. Throws ParleyProblem, ParleyUnreachable, or the signal's reason. */
export async function attemptWhole(attempt: Attempt, expectsJson: boolean): Promise<Response> {
  const { requestId, signal, timeoutMs } = attempt;
  return withTimeout({ signal, timeoutMs, staysOpen: false }, async (inner, timedOut) => {
    try {
      const response = await attempt.fetch(attempt.url, { ...attempt.init, redirect: 'manual', signal: inner });
      const bytes = await readWhole(response);
      if (!response.ok) throw failureOf(response, bytes, requestId);
      if (expectsJson && !statusesWithoutBody.has(response.status)) mustBeJson(response, bytes, requestId);
      return rebuilt(response, bytes);
    } catch (error) {
      signal.throwIfAborted();
      throw connectionFailure(error, requestId, timedOut());
    }
  });
}

/** One request whose answer is a stream: resolves as soon as its head is there. Throws as `attemptWhole`. */
export async function attemptStream(attempt: Attempt, mediaType: string): Promise<ReadableStream<Uint8Array>> {
  const { requestId, signal, timeoutMs } = attempt;
  return withTimeout({ signal, timeoutMs, staysOpen: true }, async (inner, timedOut) => {
    try {
      const response = await attempt.fetch(attempt.url, { ...attempt.init, redirect: 'manual', signal: inner });
      if (!response.ok) throw failureOf(response, await readWhole(response), requestId);
      const { body } = response;
      if (body !== null && mediaTypeOf(response) === mediaType) return body;
      await body?.cancel();
      throw notTheService(response, requestId);
    } catch (error) {
      signal.throwIfAborted();
      throw connectionFailure(error, requestId, timedOut());
    }
  });
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The signal stays in force for what `work` left open, such as a body. */
  readonly staysOpen: boolean;
}

/** Runs `work` with a signal that aborts with the outer one, and when the time is over. */
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

async function readWhole(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > answerBytesMax) throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
    chunks.push(chunk);
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
  // They told of the bytes on the wire.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  return new Response(statusesWithoutBody.has(status) ? null : bytes, { status, statusText, headers });
}

function failureOf(response: Response, bytes: Uint8Array, requestId: string): Error {
  const isProblem = mediaTypeOf(response) === 'application/problem+json';
  const problem = isProblem ? problemOf(parseJson(bytes)) : null;
  return problem === null
    ? notTheService(response, requestId)
    : new ParleyProblem(problem, retryAfterSeconds(response.headers));
}

function mustBeJson(response: Response, bytes: Uint8Array, requestId: string): void {
  if (mediaTypeOf(response) !== 'application/json' || parseJson(bytes) === undefined)
    throw notTheService(response, requestId);
}

function notTheService(response: Response, requestId: string): ParleyUnreachable {
  const { status } = response;
  const what = `The answer (${status}, ${mediaTypeOf(response) || 'no media type'}) is none of the service's`;
  const asked = retryAfterSeconds(response.headers);
  return new ParleyUnreachable(what, {
    kind: 'answer',
    outcome: 'unknown',
    requestId,
    status,
    retryAfterSeconds: asked,
  });
}

function mediaTypeOf(response: Response): string {
  return response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** undefined: no JSON. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return value;
  } catch {
    // The caller says so in its own words.
    return undefined;
  }
}

function connectionFailure(error: unknown, requestId: string, late: boolean): Error {
  if (error instanceof ParleyProblem || error instanceof ParleyUnreachable) return error;
  if (late) return new ParleyUnreachable('No whole answer in time', { kind: 'timeout', outcome: 'unknown', requestId });
  return new ParleyUnreachable('The connection failed', {
    kind: 'connection',
    outcome: outcomeOf(error),
    requestId,
    cause: error,
  });
}

function outcomeOf(error: unknown): Unreached['outcome'] {
  return neverConnected(error, 0) ? 'not_sent' : 'unknown';
}

/** Whether every attempt to connect that an error tells of failed. */
function neverConnected(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth > causesMax) return false;
  // Several, when a name stands for several addresses.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every((one) => neverConnected(one, depth + 1));
  }
  if ('code' in error && notConnected.has(error.code)) return true;
  return 'cause' in error && neverConnected(error.cause, depth + 1);
}
