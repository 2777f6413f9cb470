import { Logger } from '@nestjs/common';
import type { EventBus } from '@nestjs/cqrs';
import { LRUCache } from 'lru-cache';
import { AsyncLocalStorage } from 'node:async_hooks';
import { config } from 'rxjs';
import type { StoredEvent } from './codec';

/** Streams of which the newest event is remembered, a name and a number each. */
const streamsMax = 20_000;
/** Older events are not published. */
const newsMs = 5_000;

const logger = new Logger('EventFeed');

/** The process's `EventBus` carries one for each event of the store that this process appended or received. */
export class EventSeen {
  /** @param event of one that was appended here, `position` is that of its append's last event: the store acknowledges no other */
  constructor(readonly event: StoredEvent) {}

  /** Whether it is but seconds old, by the clock of the process that appended it: a subscription that catches up brings old ones too. */
  get isNews(): boolean {
    return Date.now() - epochMsOfUuidV7(this.event.id) < newsMs;
  }
}

/**
 * Brings what this process appends, folds or is sent by a subscription to its `EventBus`: the events of a stream in their order, each
 * once. An event that is older than the newest one of its stream is passed over, so an own event that a subscription brings later is
 * not published again; only where events of 20,000 other streams came in between, it may be.
 *
 * It wakes waiters in this process and is only a hint: durable progress must not depend on it.
 */
export class EventFeed {
  private readonly newest = new LRUCache<string, number>({ max: streamsMax });
  /** Runs listeners outside the request and the span that appended the event. */
  private readonly outside = AsyncLocalStorage.snapshot();
  private bus: Pick<EventBus, 'publish'> | null = null;

  /** From now on events are published there. Without a bus, a feed does nothing. */
  publishOn(bus: Pick<EventBus, 'publish'>): void {
    this.bus = bus;
    // Where a subscriber throws, rxjs would throw again out of nowhere, which ends the process.
    config.onUnhandledError = (error: unknown) => logger.error('a subscriber of the event bus failed', error);
  }

  /** Publishes those that are news. Never throws. @param events of any streams, those of one in order */
  publish(events: readonly StoredEvent[]): void {
    const { bus } = this;
    if (bus === null || events.length === 0) return;
    this.outside(() => {
      for (const event of events) {
        if (event.revision <= this.newestOf(event.stream)) continue;
        this.newest.set(event.stream, event.revision);
        try {
          bus.publish(new EventSeen(event));
        } catch (error) {
          logger.error(`${event.type} could not be published`, error);
        }
      }
    });
  }

  /** The newest revision of a stream that was published, or -1 when none is remembered. */
  newestOf(stream: string): number {
    return this.newest.get(stream) ?? -1;
  }
}

/** Milliseconds of the epoch; of an id of another version, any number. */
function epochMsOfUuidV7(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
