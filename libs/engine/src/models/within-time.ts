import { ModelFailed } from '../model';

/**
 * Does work that stops when a signal aborts or its time is over. Rejects at once then, whatever the work still waits for: with an
 * AbortError, or with ModelFailed.
 */
export async function withinTime<T>(
  signal: AbortSignal,
  timeoutMs: number,
  work: (stopped: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  // Without a reason of its own: the SDK would take that for an error of the provider's.
  const stop = () => own.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    own.signal.throwIfAborted();
    const stopped = new Promise<never>((_resolve, reject) => {
      own.signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
    });
    return await Promise.race([work(own.signal), stopped]);
  } catch (error) {
    if (signal.aborted) throw new DOMException('the step was stopped', 'AbortError');
    if (own.signal.aborted) throw new ModelFailed('late', `no whole answer within ${timeoutMs} ms`);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    own.abort();
  }
}
