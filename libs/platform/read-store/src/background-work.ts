/** One failure happens; work that fails for this long does not get on. */
const stuckAfterMs = 5_000;

/** Whether a piece of work in the background gets on. Other processes see it in `/readyz` as `work <name>` while it does not. */
export class BackgroundWork {
  private failingSinceMs: number | null = null;

  constructor(readonly name: string) {}

  get isStuck(): boolean {
    return this.failingSinceMs !== null && performance.now() - this.failingSinceMs > stuckAfterMs;
  }

  /** One round went well. */
  succeeded(): void {
    this.failingSinceMs = null;
  }

  /** One round failed; the caller logs why. */
  failed(): void {
    this.failingSinceMs ??= performance.now();
  }
}
