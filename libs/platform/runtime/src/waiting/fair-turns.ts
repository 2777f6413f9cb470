export interface TurnBounds {
  readonly atOnceMax: number;
  readonly atOncePerKeyMax: number;
  readonly waitingPerKeyMax: number;
}

/** Too many calls of one key wait already. */
export class TooManyWaiting extends Error {}

/** Runs work of many keys with bounded concurrency. The keys take turns, so that a busy key does not delay the others. */
export class FairTurns {
  /** Waiting calls by key; the key whose turn is next is first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly running = new Map<string, number>();
  private runningInAll = 0;

  constructor(private readonly bounds: TurnBounds) {}

  /** Runs the body when its turn has come. Rejects with the signal's reason if it aborts earlier. @throws TooManyWaiting */
  async run<Value>(key: string, signal: AbortSignal, body: () => Promise<Value>): Promise<Value> {
    signal.throwIfAborted();
    await this.turn(key, signal);
    try {
      return await body();
    } finally {
      this.count(key, -1);
      this.next();
    }
  }

  private async turn(key: string, signal: AbortSignal): Promise<void> {
    const queue = this.waiting.get(key) ?? [];
    if (queue.length >= this.bounds.waitingPerKeyMax && !this.hasRoom(key)) throw new TooManyWaiting();
    this.waiting.set(key, queue);
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.waiting.set(
          key,
          (this.waiting.get(key) ?? []).filter((waiting) => waiting !== begin),
        );
        this.next();
        reject(signal.reason as Error); // reason for the assertion: an AbortController's owner chooses its reason
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(begin);
      this.next();
    });
  }

  /** Begins as many calls as there is room for, one of each key before a second of any. */
  private next(): void {
    for (const [key, queue] of [...this.waiting]) {
      const begin = this.hasRoom(key) ? queue.shift() : undefined;
      if (begin === undefined && queue.length > 0) continue;
      // Moves the key behind all the others.
      this.waiting.delete(key);
      if (queue.length > 0) this.waiting.set(key, queue);
      if (begin === undefined) continue;
      this.count(key, 1);
      begin();
    }
  }

  private hasRoom(key: string): boolean {
    const { atOnceMax, atOncePerKeyMax } = this.bounds;
    return this.runningInAll < atOnceMax && (this.running.get(key) ?? 0) < atOncePerKeyMax;
  }

  private count(key: string, change: 1 | -1): void {
    this.runningInAll += change;
    const running = (this.running.get(key) ?? 0) + change;
    if (running === 0) this.running.delete(key);
    else this.running.set(key, running);
  }
}
