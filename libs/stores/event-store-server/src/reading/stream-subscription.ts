import { TOMBSTONE_REVISION, type FramedEvent } from '../event';
import { asFailure, type Failure } from '../failure';
import { PAGE_EVENTS_MAX } from '../limits';
import { CAUGHT_UP } from '@app/event-store-wire';
import type { Delivery } from './delivery';
import type { EventLog } from './event-log';
import type { StreamFollower } from './hub';
import type { Outlet } from './outlet';
import { isVisible } from '../streams/visibility';

/**
 * Follows one stream from a revision (exclusive, -1 for its start). When caught up, it sends each event directly; when its client falls
 * behind, a pump reads on from the last delivered revision.
 */
export class StreamSubscription implements StreamFollower {
  private pumping = false;
  /** Something happened since the pump's last read. */
  private stale = true;
  private caughtUp = false;
  /** The tombstone event, once it has arrived live. */
  private tombstone: FramedEvent | undefined;

  constructor(
    readonly stream: string,
    private readonly log: EventLog,
    private readonly outlet: Outlet,
    private readonly delivery: Delivery,
    /** The last revision delivered. */
    private revision: number,
    /** Starts at the end, so that there is nothing to catch up with; the stream need not exist. */
    private readonly fromEnd: boolean,
  ) {}

  offer(event: FramedEvent): void {
    if (event.revision <= this.revision) return;
    if (event.revision === TOMBSTONE_REVISION) this.tombstone = event;
    const direct = this.caughtUp && !this.stale && !this.pumping && this.outlet.hasRoom && this.delivery.isPlain;
    if (direct && event.revision === this.revision + 1) {
      this.revision = event.revision;
      this.outlet.send(event.frame);
    } else {
      this.wake();
    }
  }

  wake(): void {
    this.stale = true;
    if (this.pumping || this.outlet.closed) return;
    this.pumping = true;
    this.pump().catch((error: unknown) => this.outlet.end(asFailure(error)));
  }

  private async pump(): Promise<void> {
    try {
      while (this.stale && !this.outlet.closed) {
        this.stale = false;
        await this.deliverPage();
        // After dropping the page, so that a stalled reader holds no events.
        if (!this.outlet.hasRoom) await this.outlet.room();
      }
    } finally {
      this.pumping = false;
    }
  }

  private async deliverPage(): Promise<void> {
    const page = await this.nextPage();
    if (!page) return;
    if (page.length > 0) {
      this.stale = true;
      await this.delivery.send(page, (event) => (this.revision = event.revision));
    } else if (!this.stale && !this.caughtUp) {
      this.caughtUp = true;
      this.outlet.send(CAUGHT_UP);
    }
  }

  /** Undefined when the stream has ended or is missing: a missing stream has nothing to catch up with. */
  private async nextPage(): Promise<FramedEvent[] | undefined> {
    const visible = await this.log.visibility(this.stream);
    if (isVisible(visible)) return this.log.streamFrom(this.stream, this.revision + 1, visible, PAGE_EVENTS_MAX);
    if (visible.kind === 'not-found') return this.fromEnd ? [] : undefined;
    return this.pageBeforeTombstone(visible);
  }

  /** A subscriber that was there before the tombstone gets the events that it lacks, the tombstone event, and then the failure. */
  private async pageBeforeTombstone(deleted: Failure): Promise<FramedEvent[] | undefined> {
    const isOver = this.revision === TOMBSTONE_REVISION;
    if (isOver && !this.tombstone) return []; // it began at the end of a tombstoned stream
    if (this.tombstone && !isOver) {
      const visible = await this.log.visibilityBeforeTombstone(this.stream);
      const rest = isVisible(visible)
        ? await this.log.streamFrom(this.stream, this.revision + 1, visible, PAGE_EVENTS_MAX)
        : [];
      return rest.length > 0 ? rest : [this.tombstone];
    }
    this.revision = TOMBSTONE_REVISION;
    this.outlet.end(deleted);
    return undefined;
  }
}
