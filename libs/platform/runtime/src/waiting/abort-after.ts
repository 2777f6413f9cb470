/**
 * A signal that aborts after this time, in real time, with a `TimeoutError`. The garbage collection of Node 20 removes the signal of
 * `AbortSignal.timeout` if only `AbortSignal.any` refers to it; this one is kept until it aborts.
 */
export function abortAfter(ms: number): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')), ms).unref();
  return late.signal;
}
