import { RecentRate } from '../projecting/recent-rate';

/** A gentle rebuild passes at least this many positions for each appended one, so that every rebuild ends (docs/decisions/operators.md). */
const passedPerAppended = 2;
/** The approach to the head is measured over this time. */
const approachWindowMs = 10_000;
/** A shorter measurement is ignored. */
const approachMinMs = 2_000;

/**
 * Positions that a rebuild has passed compared with those appended meanwhile: decides whether it may pause, and estimates when it will
 * reach the head.
 */
export class RebuildCourse {
  private readonly rate = new RecentRate();
  private distances: { readonly atMs: number; readonly distance: number }[] = [];
  private behind = 0;

  /**
   * @param position up to which the rebuild has folded
   * @param head position of the store's newest event that concerns the read models
   */
  constructor(
    private position: number,
    private head: number,
  ) {}

  /** Whether it is slower than twice the rate of the appends: then it must not pause. */
  get isTooSlow(): boolean {
    return this.behind > 0;
  }

  get target(): number {
    return this.head;
  }

  /** Events read per second, over the last seconds. */
  eventsPerSecond = 0;

  /** Positions by which the distance to the head shrinks per second; negative if it grows, null if too little was measured. */
  get approachPerSecond(): number | null {
    const [first, last] = [this.distances[0], this.distances.at(-1)];
    if (first === undefined || last === undefined || last.atMs - first.atMs < approachMinMs) return null;
    return ((first.distance - last.distance) * 1_000) / (last.atMs - first.atMs);
  }

  /** Records that everything up to this position is folded. */
  passed(position: number, events: number): void {
    this.behind = Math.max(0, this.behind - Math.max(0, position - this.position));
    this.position = Math.max(this.position, position);
    this.eventsPerSecond = this.rate.after(events);
  }

  /** Records where the store ends. @param atMs monotonic time */
  appended(head: number, atMs: number): void {
    this.behind += passedPerAppended * Math.max(0, head - this.head);
    this.head = Math.max(this.head, head);
    this.distances.push({ atMs, distance: Math.max(0, this.head - this.position) });
    this.distances = this.distances.filter((one) => one.atMs > atMs - approachWindowMs);
  }
}
