import { Logger } from '@nestjs/common';
import type { EventBus } from '@nestjs/cqrs';
import { LRUCache } from 'lru-cache';
import { AsyncLocalStorage } from 'node:async_hooks';
import { config, EMPTY, mergeMap, of, type OperatorFunction } from 'rxjs';
import { decodeEvent, type Recorded, type StoredEvent } from './codec';
import { idInStream, type DomainEvent, type StreamKind } from './stream-kind';

/** Streams whose newest event is remembered, by number, because each is a name of this product's and a revision. */
const streamsMax = 20_000;

const logger = new Logger('EventFeed');

/** Published on the process's `EventBus` for each event of the store that this process appended or received. */
export class EventSeen {
  /**
   * @param event when appended here, its `position` may be that of the append's last event, because the store acknowledges no other
   * @param isOwn whether this process has just appended it
   */
  constructor(
    readonly event: StoredEvent,
    readonly isOwn: boolean,
  ) {}
}

/**
 * Publishes on the `EventBus` what this process appends, folds or receives by a subscription: the events of a stream in order, each once.
 * An event older than the newest one of its stream is skipped, so an own event that a subscription delivers later is not published again,
 * unless events of 20,000 other streams were published in between.
 *
 * It wakes waiters in this process and is only a hint: durable progress must not depend on it.
 */
export class EventFeed {
  private readonly newest = new LRUCache<string, number>({ max: streamsMax });
  /** Runs listeners outside the request and the span that appended the event. */
  private readonly outside = AsyncLocalStorage.snapshot();
  /** Ids of the events that are being appended: a subscription may deliver them before the append is acknowledged. */
  private readonly own = new Set<string>();
  private bus: Pick<EventBus, 'publish'> | null = null;

  /** Publishes events on the bus from now on. Without a bus, a feed does nothing. */
  publishOn(bus: Pick<EventBus, 'publish'>): void {
    this.bus = bus;
    // When a subscriber throws, rxjs would rethrow outside of any call, which ends the process.
    config.onUnhandledError = (error: unknown) => logger.error('a subscriber of the event bus failed', error);
  }

  /** Runs an append of these events, which count as this process's own until it is done. */
  async appending<Value>(events: readonly { readonly id: string }[], append: () => Promise<Value>): Promise<Value> {
    for (const { id } of events) this.own.add(id);
    try {
      return await append();
    } finally {
      for (const { id } of events) this.own.delete(id);
    }
  }

  /** Publishes the events that are new. Never throws. @param events of any streams, those of one stream in order */
  publish(events: readonly StoredEvent[]): void {
    if (this.bus === null) return;
    for (const event of events) {
      if (event.revision <= this.newestOf(event.stream)) continue;
      this.newest.set(event.stream, event.revision);
      this.announce(new EventSeen(event, this.own.has(event.id)));
    }
  }

  /** Publishes something that is no event of the store. Never throws. */
  announce(news: object): void {
    const { bus } = this;
    if (bus === null) return;
    this.outside(() => {
      try {
        bus.publish(news);
      } catch (error) {
        logger.error('the event bus failed', error);
      }
    });
  }

  /** The newest published revision of a stream, or -1 when none is remembered. */
  newestOf(stream: string): number {
    return this.newest.get(stream) ?? -1;
  }
}

/** An event of one kind of stream, as a saga gets it. */
interface SeenOf<Event> extends Recorded<Event> {
  /** The id in the stream's name. */
  readonly streamId: string;
  /** As in `EventSeen`. */
  readonly isOwn: boolean;
}

/** For sagas: filters the bus for events of these types in streams of the kind. */
export function ofEvents<Event extends DomainEvent, Type extends Event['type']>(
  kind: Pick<StreamKind<unknown, never, Event>, 'category' | 'privateMembers' | 'upcasters'>,
  ...types: readonly Type[]
): OperatorFunction<object, SeenOf<Extract<Event, { readonly type: Type }>>> {
  const wanted: ReadonlySet<string> = new Set(types);
  return mergeMap((seen) => {
    if (!(seen instanceof EventSeen) || !wanted.has(seen.event.type)) return EMPTY;
    const streamId = idInStream(kind, seen.event.stream);
    if (streamId === null) return EMPTY;
    // Reason for the assertion: the event is of the kind, and of one of these types.
    const recorded = decodeEvent(kind, seen.event) as Recorded<Extract<Event, { readonly type: Type }>>;
    return of({ ...recorded, streamId, isOwn: seen.isOwn });
  });
}
