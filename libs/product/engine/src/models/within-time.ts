import { ModelFailed } from './model';

/** The time that work may take; it can be paused, as for a wait that has a limit of its own. */
export class WorkTime {
  private timer: NodeJS.Timeout | null = null;
  private runningSinceMs = 0;
  private ended = false;

  constructor(
    private remainingMs: number,
    private readonly onOver: () => void,
  ) {}

  get leftMs(): number {
    return this.timer === null ? this.remainingMs : this.remainingMs - (performance.now() - this.runningSinceMs);
  }

  run(): void {
    if (this.timer !== null || this.ended) return;
    this.runningSinceMs = performance.now();
    this.timer = setTimeout(this.onOver, this.remainingMs);
  }

  pause(): void {
    if (this.timer === null) return;
    this.remainingMs = Math.max(0, this.leftMs);
    clearTimeout(this.timer);
    this.timer = null;
  }

  /** Stops the time permanently. */
  end(): void {
    this.pause();
    this.ended = true;
  }
}

/**
 * Does work that stops when a signal aborts or its time is over. It then rejects at once, even if the work continues to wait: with an
 * AbortError, or with ModelFailed.
 */
export async function withinTime<T>(
  signal: AbortSignal,
  timeoutMs: number,
  work: (stopped: AbortSignal, time: WorkTime) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  // Without a reason, because the SDK would take one for an error of the provider.
  const stop = () => own.abort();
  const time = new WorkTime(timeoutMs, stop);
  time.run();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    own.signal.throwIfAborted();
    const stopped = new Promise<never>((_resolve, reject) => {
      own.signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
    });
    return await Promise.race([work(own.signal, time), stopped]);
  } catch (error) {
    if (signal.aborted) throw new DOMException('the step was stopped', 'AbortError');
    if (own.signal.aborted) throw new ModelFailed('late', `no whole answer within ${timeoutMs} ms`);
    throw error;
  } finally {
    time.end();
    signal.removeEventListener('abort', stop);
    own.abort();
  }
}
