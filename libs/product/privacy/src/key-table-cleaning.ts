import { Injectable } from '@nestjs/common';
import { KeyErasure } from '@app/read-store';

type KeyTable = NonNullable<Awaited<ReturnType<KeyErasure['clean']>>>;

/**
 * Pause after a try that failed: readers of keys wait behind each try for up to a quarter of a second, and a backup, which makes tries
 * fail, may take hours.
 */
const pauseMs = 5_000;

/** Removes old versions of keys for all erasures together: the table is locked once for all that wait, and left alone between tries. */
@Injectable()
export class KeyTableCleaning {
  private running: Promise<unknown> = Promise.resolve();
  private next: Promise<KeyTable | null> | null = null;
  private pausedUntilMs = -Infinity;

  constructor(private readonly keys: KeyErasure) {}

  /**
   * As `KeyErasure.clean`, which begins after the call: one that has begun already may miss the caller's keys. Returns null without a try
   * for a while after one that failed. @throws Unavailable
   */
  clean(): Promise<KeyTable | null> {
    this.next ??= this.running.then(() => {
      this.next = null;
      const tried = this.tried();
      this.running = tried.catch(() => undefined); // the callers get the error
      return tried;
    });
    return this.next;
  }

  private async tried(): Promise<KeyTable | null> {
    if (performance.now() < this.pausedUntilMs) return null;
    const how = await this.keys.clean();
    if (how === null) this.pausedUntilMs = performance.now() + pauseMs;
    return how;
  }
}
