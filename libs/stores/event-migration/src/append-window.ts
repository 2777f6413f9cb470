import { isTransient } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import { setTimeout as sleep } from 'node:timers/promises';

/** Limit of the appends in flight. The store answers one append after the other in a millisecond each, and hundreds in a few. */
const runsMax = 500;
const bytesMax = 4 * 1024 * 1024;
/** How long an append whose answer was lost is sent again; the store recognizes it by its ids. */
const resendForMs = 60_000;
const resendPauseMs = 500;

interface Sent<Run> {
  readonly run: Run;
  readonly bytes: number;
  /** Why the store did not accept it; null when it did. Never rejects. */
  readonly failure: Promise<Error | null>;
}

/**
 * Sends appends in order, without waiting for the answer to the first, and the store accepts them in that order. When one gets no answer,
 * it waits for the answers to all after it, and then sends them again one by one, each until it is stored.
 */
export class AppendWindow<Run> {
  private underWay: Sent<Run>[] = [];
  private bytes = 0;

  /**
   * @param append sends one; a transient error leaves open whether it was stored
   * @param onTaken called for each append that is stored, in order
   */
  constructor(
    private readonly append: (run: Run) => Promise<void>,
    private readonly onTaken: (run: Run) => void,
  ) {}

  /** Sends one as soon as there is room. @throws Unavailable, and the refusal of one that was sent before */
  async add(run: Run, bytes: number): Promise<void> {
    while (this.underWay.length >= runsMax || (this.bytes > 0 && this.bytes + bytes > bytesMax))
      await this.settleFirst();
    this.underWay.push({ run, bytes, failure: failureOf(this.append(run)) });
    this.bytes += bytes;
  }

  /** Waits for all that were sent. @throws like `add` */
  async drain(): Promise<void> {
    while (this.underWay.length > 0) await this.settleFirst();
  }

  /** The first one decides, because those after it may be refused only because it is missing. */
  private async settleFirst(): Promise<void> {
    const failure = await this.underWay[0]?.failure;
    if (failure) return this.sendAgain(failure);
    this.confirm(this.underWay.shift());
  }

  private async sendAgain(failure: Error): Promise<void> {
    if (!isTransient(failure)) throw failure;
    await Promise.all(this.underWay.map((sent) => sent.failure));
    for (const sent of this.underWay) {
      await this.appendUntilThere(sent.run);
      this.confirm(sent);
    }
    this.underWay = [];
  }

  private async appendUntilThere(run: Run): Promise<void> {
    const sinceMs = performance.now();
    for (;;) {
      const failure = await failureOf(this.append(run));
      if (failure === null) return;
      if (!isTransient(failure)) throw failure;
      if (performance.now() - sinceMs > resendForMs) throw new Unavailable('event store', { cause: failure });
      await sleep(resendPauseMs);
    }
  }

  private confirm(sent: Sent<Run> | undefined): void {
    if (sent === undefined) return;
    this.bytes -= sent.bytes;
    this.onTaken(sent.run);
  }
}

function failureOf(append: Promise<void>): Promise<Error | null> {
  return append.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error('an append failed', { cause: error })),
  );
}
