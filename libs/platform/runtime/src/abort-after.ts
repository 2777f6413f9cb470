/**
 * A signal that aborts after so long, in real time, with a `TimeoutError`. Unlike that of `AbortSignal.timeout`, which the garbage
 * collection of Node 20 takes where only `AbortSignal.any` refers to it, it stays until then.
 */
export function abortAfter(ms: number): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')), ms).unref();
  return late.signal;
}
