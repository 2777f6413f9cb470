import { StreamDeletedError, WrongExpectedVersionError } from '@eventstore/db-client';
import type { EventData, EventStoreDBClient } from '@eventstore/db-client';
import { DamagedStream, Unavailable } from '@app/kernel';
import { Probe } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOfAll, type ReceivedEvent } from '@app/event-store-wire';
import { AppendChannel } from './calls/append-channel';
import { AppendTimes } from './calls/append-times';
import { defaultLimits, type Appended } from './calls/call-limits';
import { readCategoriesPage, type CategoriesPage, type Wanted } from './reading/categories-page';
import type { KeyRing } from '@app/sealing';
import type { StoredEvent } from './events/codec';
import { openEvents } from './events/sealed-events';
import { connectEventStore, disconnect, type Purpose } from './calls/connection';
import { DamagedStreams } from './damaged-streams/damaged-streams';
import { EventFeed } from './events/event-feed';
import { shares } from './calls/open-calls';
import { ReadCalls } from './calls/read-calls';
import { SharedSubscription } from './following/shared-subscription';
import { newestPositionOf } from './reading/newest-position';
import { ownEvent, StreamReads, type Remains } from './reading/stream-reads';
import { StoreHealthCheck } from './calls/store-health-check';
import { isTransient } from './calls/transient-errors';

const disposeWithinMs = 2_000;

/** Appends and reads over EventStoreDB's protocol; every caller goes through here. There is no expected revision `any`. */
export class EventStore {
  /** Names of the followers in this process that cannot get past an event. */
  readonly stuck = new Set<string>();
  /** The streams that this process found to be damaged. */
  readonly damaged = new DamagedStreams();
  /** Collects the events that this process appends, follows and folds. */
  readonly feed = new EventFeed();
  /** Subscription for the durable followers of the process: projections and reactors. */
  readonly shared: SharedSubscription;
  readonly appendTimes = new AppendTimes();
  readonly streamReads: StreamReads;
  readonly health: StoreHealthCheck;
  private readonly appends: AppendChannel;
  private readonly reads: ReadCalls;

  constructor(
    readonly client: EventStoreDBClient,
    private readonly probe = new Probe(),
    private readonly limits = defaultLimits,
    /** For live views, which no reader that is behind may slow down. */
    readonly tailClient = client,
    /** For projections and reactors: one that is behind slows down everything else on its connection. */
    readonly catchUpClient = client,
    /** Opens and seals words of persons; without it they stay as they are stored. */
    readonly keys: KeyRing | null = null,
  ) {
    this.appends = new AppendChannel(client);
    this.shared = new SharedSubscription(catchUpClient, this.feed, (categories) => this.endPositionOf(categories));
    this.reads = new ReadCalls(client, shares.reads);
    this.health = new StoreHealthCheck(client, this.appends);
    this.streamReads = new StreamReads(this.damaged, (request, take) => this.collect(request, take));
  }

  /** Connects with one connection for each purpose, opened on first use. The caller must dispose of it. Throws for an invalid URL. */
  static connect(url: string, probe?: Probe, keys: KeyRing | null = null): EventStore {
    const to = (purpose: Purpose) => connectEventStore(url, purpose);
    return new EventStore(to('calls'), probe, defaultLimits, to('tails'), to('catch-ups'), keys);
  }

  /**
   * Appends all events or none, at exactly the expected revision (-1: the stream must not exist).
   * After a lost answer the very same events are sent again, so the append happens once.
   * Returns `conflict` when the stream is at another revision. Throws Unavailable when the store stays unavailable, DamagedStream for a
   * stream that was deleted.
   */
  async append(
    stream: string,
    events: EventData[],
    expectedRevision: number,
  ): Promise<Appended | { kind: 'conflict' }> {
    this.damaged.refuse(stream);
    return this.appendTimes.take(() => this.appendPatiently(stream, events, expectedRevision));
  }

  private async appendPatiently(
    stream: string,
    events: EventData[],
    expectedRevision: number,
  ): Promise<Appended | { kind: 'conflict' }> {
    const startedMs = performance.now();
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 400)) {
      try {
        return await this.appendOnce(stream, events, expectedRevision);
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) return { kind: 'conflict' };
        if (error instanceof StreamDeletedError) throw this.listed(new DamagedStream(stream, 'tombstoned'));
        if (!isTransient(error)) throw error;
        if (performance.now() - startedMs > this.limits.resendForMs)
          throw new Unavailable('event store', { cause: error });
      }
      await sleep(pauseMs);
    }
  }

  /**
   * Returns events of a stream, oldest first, from a revision (inclusive), without a gap, their words open; none when the stream does not
   * exist. Throws Unavailable, DamagedStream.
   */
  async readStream(stream: string, fromRevision: number, maxCount: number): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    await this.streamReads.forwards(stream, fromRevision, maxCount, (event) => events.push(ownEvent(event)) > 0);
    return this.open(events);
  }

  /** As `readStream`, from a revision that was seen before: a stream without it is damaged. Throws Unavailable, DamagedStream. */
  async readKnown(stream: string, fromRevision: number, maxCount: number): Promise<StoredEvent[]> {
    const events = await this.readStream(stream, fromRevision, maxCount);
    return events.length > 0 ? events : this.streamReads.refuseLost(stream, fromRevision);
  }

  /**
   * As `readStream`, but ends with the event at which the stored bytes of the returned ones exceed a bound; `more` says whether the bound, or
   * the count, ended it.
   */
  async readStreamWithin(
    stream: string,
    fromRevision: number,
    bounds: { readonly events: number; readonly bytes: number },
  ): Promise<{ readonly events: StoredEvent[]; readonly more: boolean }> {
    const { events, more } = await this.streamReads.within(stream, fromRevision, bounds);
    return { events: await this.open(events), more };
  }

  /**
   * Returns events that were followed, or read from many streams, with their words open; `{"erased": true}` where the key was destroyed.
   * Throws Unavailable.
   */
  async open(events: StoredEvent[]): Promise<StoredEvent[]> {
    return this.keys === null ? events : openEvents(this.keys, events);
  }

  /** Returns events of a stream that has some, newest first, from a revision (inclusive) downwards. Throws Unavailable, DamagedStream. */
  async readStreamBackwards(stream: string, fromRevision: number, maxCount: number): Promise<StoredEvent[]> {
    return this.open((await this.streamReads.backwards(stream, fromRevision, maxCount)).map(ownEvent));
  }

  /** Returns the revision of the last event of a stream, or -1 when it never had one. Throws Unavailable, DamagedStream. */
  async lastRevision(stream: string): Promise<number> {
    return this.streamReads.lastRevision(stream);
  }

  /**
   * Reads the next events of the whole store after a position (0: from the beginning), oldest first, and returns those of these categories
   * as they are stored, with the position of the last event read. `more` is false at the store's end. Throws Unavailable.
   * @param maxCount how many events to read, wanted or not
   */
  async readCategories(
    categories: readonly string[],
    after: number,
    maxCount: number,
    wanted: Wanted = {},
  ): Promise<CategoriesPage> {
    return readCategoriesPage(categories, after, maxCount, wanted, (request, take) => this.collect(request, take));
  }

  /**
   * Returns the next events of the whole store after a position (0: from the beginning), oldest first, with their stored bytes. Includes
   * events of the server's own streams and events that this product cannot have written. Throws Unavailable.
   */
  async readAllRaw(after: number, maxCount: number): Promise<ReceivedEvent[]> {
    if (after === 0) return this.received(readOfAll('start', maxCount, 'forwards'));
    // The event at the position is returned again.
    const events = await this.received(readOfAll(after, maxCount + 1, 'forwards'));
    return events.filter(({ position }) => position > after);
  }

  /** Returns the events of the whole store before a position (`end`: the newest), newest first, as `readAllRaw`. Throws Unavailable. */
  async readAllRawBackwards(before: number | 'end', maxCount: number): Promise<ReceivedEvent[]> {
    return this.readBackwards(before, maxCount);
  }

  /** As `readStream`, with the stored bytes of the events. Throws Unavailable, DamagedStream. */
  async readStreamRaw(stream: string, fromRevision: number, maxCount: number): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
    await this.streamReads.forwards(stream, fromRevision, maxCount, (event) => events.push(event) > 0);
    return events;
  }

  /**
   * As `readStreamRaw`, for callers that judge a stream: returns the remaining events, even if others are missing before or between them.
   * Throws Unavailable.
   */
  async readRemaining(stream: string, fromRevision: number, maxCount: number): Promise<ReceivedEvent[]> {
    return this.streamReads.remaining(stream, fromRevision, maxCount);
  }

  /** Returns what remains of a stream, and its damage. Throws Unavailable. */
  async remainsOf(stream: string): Promise<Remains> {
    return this.streamReads.remains(stream);
  }

  /** Position of the newest event, even one of the server's own, or 0 in an empty store. Throws Unavailable. */
  async endPosition(): Promise<number> {
    const [newest] = await this.readBackwards('end', 1);
    return newest?.position ?? 0;
  }

  /**
   * Position of the newest event of these categories, or 0 when there is none after `after`. A follower reaches that position by events
   * alone, whereas a server may never report that it has searched past later ones. When over a thousand events of others are the newest, it
   * is the position of the last event read. Throws Unavailable.
   */
  async endPositionOf(categories: readonly string[], after = 0): Promise<number> {
    return newestPositionOf(categories, after, (from, count) => this.readBackwards(from, count));
  }

  /** Ends every connection within 2 s; the client itself would wait forever for a call whose reader has left. */
  async dispose(): Promise<void> {
    const clients = [this.client, this.tailClient, this.catchUpClient];
    await Promise.all(clients.map((client) => disconnect(client, disposeWithinMs)));
  }

  private readBackwards(from: number | 'end', maxCount: number): Promise<ReceivedEvent[]> {
    return this.received(readOfAll(from, maxCount, 'backwards'));
  }

  private async received(request: Buffer): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
    await this.collect(request, (event) => events.push(event) > 0);
    return events;
  }

  private async collect(request: Buffer, take: (event: ReceivedEvent) => boolean): Promise<'read' | 'missing'> {
    return this.reads.collect(request, this.limits.callTimeoutMs, take);
  }

  private listed(found: DamagedStream): DamagedStream {
    this.damaged.add(found);
    return found;
  }

  private async appendOnce(stream: string, events: EventData[], expectedRevision: number): Promise<Appended> {
    this.probe.reached('append:before');
    const place = await this.appends.append(stream, events, expectedRevision, this.limits.callTimeoutMs);
    this.probe.reached('append:after');
    // A soft-deleted stream continues at its old revision, and accepts a first event like any other.
    const wanted = expectedRevision + events.length;
    if (place.revision > wanted)
      throw this.listed(new DamagedStream(stream, 'truncated', expectedRevision + 1 + place.revision - wanted));
    return { kind: 'appended', revision: place.revision, position: place.position };
  }
}
