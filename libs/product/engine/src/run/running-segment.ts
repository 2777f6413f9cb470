import type { ExecutableSegment } from '@app/runs';
import type { Signals } from './claimed-run';

/** A segment that is executed in this process, and the signals that interrupt it. */
export class RunningSegment {
  /** Settles when it is no longer executed here; never rejects. */
  done: Promise<void> = Promise.resolve();
  /** Whether it is over, and being closed. */
  isOver = false;
  private readonly stopping = new AbortController();
  private readonly leaving = new AbortController();
  private readonly either = new AbortController();
  readonly signals: Signals = {
    stop: this.stopping.signal,
    shutdown: this.leaving.signal,
    any: this.either.signal,
  };

  constructor(readonly segment: ExecutableSegment) {}

  /** The run is to stop. */
  stop(): void {
    this.stopping.abort();
    this.either.abort();
  }

  /** It is left to another process. */
  leave(): void {
    this.leaving.abort();
    this.either.abort();
  }
}
