/**
 * Settles with what goes on, or rejects with the signal's reason as soon as it aborts; what goes on is then left to its own limits, and
 * nobody hears of its end.
 */
export async function unlessAborted<Value>(going: Promise<Value>, signal: AbortSignal): Promise<Value> {
  going.catch(() => undefined); // after an abort nothing awaits it
  signal.throwIfAborted();
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    // Reason for the assertion: a signal's reason is typed any, and is an error wherever it is not given by hand.
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true, signal: listening.signal });
  });
  try {
    return await Promise.race([going, aborted]);
  } finally {
    listening.abort();
  }
}
