/** Reports to the operator of the witness. `error`: something must be done. */
export type OnReport = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** Allows something at most once in a time, by a clock that cannot be set back. */
export class RateLimit {
  private lastMs = -Infinity;

  constructor(private readonly everyMs: number) {}

  isDue(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.lastMs < this.everyMs) return false;
    this.lastMs = nowMs;
    return true;
  }
}
