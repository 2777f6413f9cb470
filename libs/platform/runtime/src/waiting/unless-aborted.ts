/**
 * Settles with the given promise, or rejects with the signal's reason as soon as it aborts; the promise is then left to its own time
 * limits, and its outcome is ignored.
 */
export async function unlessAborted<Value>(going: Promise<Value>, signal: AbortSignal): Promise<Value> {
  going.catch(() => undefined); // after an abort nothing awaits it
  signal.throwIfAborted();
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    // Reason for the assertion: a signal's reason is typed any, and is an error unless it was given by hand.
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true, signal: listening.signal });
  });
  try {
    return await Promise.race([going, aborted]);
  } finally {
    listening.abort();
  }
}
