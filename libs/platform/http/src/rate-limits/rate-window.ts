import type { RateAnswer } from '../ports';
import { secondsOf } from './rate-limits';

const slotMs = 100;
/** A slot leaves when all of it is more than 60 s old: the window errs by at most 100 ms, and only towards refusing. */
const windowSlots = 600;

/** The usage of one subject in the last 60 s, in slots of 100 ms. The array of slots is a ring: an entry is reused after a full turn. */
export class RateWindow {
  private readonly counts = new Uint32Array(windowSlots + 1);
  private used = 0;
  /** The newest slot with a count. */
  private newest = 0;

  /** @param nowMs monotonic, in milliseconds */
  consume({ limit, weight = 1 }: { readonly limit: number; readonly weight?: number }, nowMs: number): RateAnswer {
    const slot = slotOf(nowMs);
    this.moveTo(slot);
    const cost = Math.min(weight, limit);
    const admitted = this.used + cost <= limit;
    const missing = this.used + cost - limit;
    if (admitted) {
      this.used += cost;
      this.counts[slot % this.counts.length] = this.countAt(slot) + cost;
    }
    return {
      admitted,
      remaining: Math.max(0, limit - this.used),
      resetSeconds: this.secondsUntilFree(1, nowMs),
      waitSeconds: admitted ? 0 : this.secondsUntilFree(missing, nowMs),
    };
  }

  /** The number of requests in the window. */
  usedAt(nowMs: number): number {
    this.moveTo(slotOf(nowMs));
    return this.used;
  }

  /** Removes the slots that are too old by now. */
  private moveTo(slot: number): void {
    const passed = Math.min(slot - this.newest, this.counts.length);
    for (let step = 1; step <= passed; step += 1) {
      const place = (this.newest + step) % this.counts.length;
      this.used -= this.counts[place] ?? 0;
      this.counts[place] = 0;
    }
    this.newest = Math.max(slot, this.newest);
  }

  private secondsUntilFree(places: number, nowMs: number): number {
    let slot = Math.max(0, this.newest - windowSlots);
    let freed = this.countAt(slot);
    while (slot < this.newest && freed < places) {
      slot += 1;
      freed += this.countAt(slot);
    }
    return secondsOf((slot + windowSlots + 1) * slotMs - nowMs);
  }

  private countAt(slot: number): number {
    return this.counts[slot % this.counts.length] ?? 0;
  }
}

function slotOf(ms: number): number {
  return Math.floor(ms / slotMs);
}
