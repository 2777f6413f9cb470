/** Work that has failed for this long is reported as stuck; a single failure is not. */
const stuckAfterMs = 5_000;

/** Whether a piece of background work makes progress. While it does not, other processes see it in `/readyz` as `work <name>`. */
export class BackgroundWork {
  private failingSinceMs: number | null = null;

  constructor(readonly name: string) {}

  get isStuck(): boolean {
    return this.failingSinceMs !== null && performance.now() - this.failingSinceMs > stuckAfterMs;
  }

  /** Records that one round succeeded. */
  succeeded(): void {
    this.failingSinceMs = null;
  }

  /** Records that one round failed; the caller logs the reason. */
  failed(): void {
    this.failingSinceMs ??= performance.now();
  }
}
