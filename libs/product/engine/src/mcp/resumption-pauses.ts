/** Bounds of the pause before a dropped stream is resumed, whatever the server asks for by `retry`. */
const firstAtLeastMs = 100;
const laterAtLeastMs = 5_000;
const atMostMs = 30_000;
/** A stream that lasted this long since it was resumed begins with short pauses again. */
const quietMs = 60_000;

/**
 * The pauses between the resumptions of one stream. The least pause doubles from one to the next: the SDK counts only attempts that fail, so
 * a server that ends each resumed stream at once, and asks for `retry: 0`, would be called hundreds of times a second. No pause is longer
 * than a timer can wait, which would end at once.
 */
export class ResumptionPauses {
  private resumed = 0;
  private resumedAtMs = -Infinity;

  /** @param nowMs monotonic, in milliseconds */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Returns the pause before the next resumption. @param askedMs what the server, or the SDK, wants it to be */
  next(askedMs: number): number {
    const nowMs = this.nowMs();
    if (nowMs - this.resumedAtMs > quietMs) this.resumed = 0;
    const atLeastMs = Math.min(firstAtLeastMs * 2 ** this.resumed, laterAtLeastMs);
    const pauseMs = Math.min(Math.max(askedMs, atLeastMs), atMostMs);
    this.resumed += 1;
    this.resumedAtMs = nowMs + pauseMs;
    return pauseMs;
  }
}
