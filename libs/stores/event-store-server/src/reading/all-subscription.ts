import { asFailure } from '../failure';
import { CAUGHT_UP, encodeCheckpoint } from '@app/event-store-wire';
import type { Delivery } from './delivery';
import type { EventLog } from './event-log';
import type { EventFilter } from './filter';
import type { AllFollower } from './hub';
import type { LiveEvents } from './live-events';
import type { Outlet } from './outlet';

/**
 * Follows `$all` from a position (exclusive) with one cursor, moved by one pump, which pauses when there is nothing new. Once live, it
 * sends committed events directly; when its client falls behind, the pump reads on from the cursor.
 */
export class AllSubscription implements AllFollower {
  private pumping = false;
  private caughtUp = false;
  private sinceCheckpoint = 0;

  constructor(
    private readonly log: EventLog,
    private readonly outlet: Outlet,
    private readonly delivery: Delivery,
    /** The last position considered. */
    private position: number,
    private readonly filter: EventFilter | undefined,
  ) {}

  offer(live: LiveEvents): void {
    const isLive = this.caughtUp && !this.pumping && this.outlet.hasRoom && this.delivery.isPlain;
    if (!isLive || !live.isSmall || !live.follows(this.position)) return this.wake();
    if (this.filter) this.sendMatching(live, this.filter);
    else this.outlet.send(live.frames);
    this.consider(live.lastPosition);
  }

  private sendMatching({ events }: LiveEvents, filter: EventFilter): void {
    for (const event of events) {
      if (!filter.matches(event)) continue;
      this.consider(event.position - 1);
      this.outlet.send(event.frame);
      this.consider(event.position);
    }
  }

  wake(): void {
    if (this.pumping || this.outlet.closed) return;
    this.pumping = true;
    this.pump().catch((error: unknown) => this.outlet.end(asFailure(error)));
  }

  private async pump(): Promise<void> {
    try {
      while (!this.outlet.closed && this.position < this.log.ring.lastPosition) {
        await this.deliverPage();
        // After dropping the page, so that a stalled reader holds no events.
        if (!this.outlet.hasRoom) await this.outlet.room();
      }
      this.announceEnd();
    } finally {
      this.pumping = false;
    }
  }

  private async deliverPage(): Promise<void> {
    const page = await this.log.allAfter(this.position, this.filter);
    // A checkpoint covers everything up to it and nothing after it, so it is sent between the two.
    const all = await this.delivery.send(
      page.events,
      (event) => this.consider(event.position),
      (event) => this.consider(event.position - 1),
    );
    if (all) this.consider(page.considered);
  }

  private announceEnd(): void {
    if (this.caughtUp) return;
    this.caughtUp = true;
    if (this.filter && Number.isFinite(this.filter.checkpointEvery) && this.sinceCheckpoint > 0) this.checkpoint();
    this.outlet.send(CAUGHT_UP);
  }

  /**
   * Moves the cursor. A filtered subscription is notified of its progress even when nothing matches: at every position where a checkpoint
   * is due. A page has at most as many checkpoints as positions.
   */
  private consider(position: number): void {
    if (this.filter) {
      const { checkpointEvery } = this.filter;
      while (this.sinceCheckpoint + position - this.position >= checkpointEvery) {
        this.position += checkpointEvery - this.sinceCheckpoint;
        this.checkpoint();
      }
      this.sinceCheckpoint += position - this.position;
    }
    this.position = position;
  }

  private checkpoint(): void {
    this.sinceCheckpoint = 0;
    if (this.position > 0) this.outlet.send(encodeCheckpoint(this.position));
  }
}
