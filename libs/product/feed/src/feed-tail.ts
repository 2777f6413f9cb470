import { failureWords } from '@app/kernel';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore, followCategories, type EventBatch } from '@app/event-store';
import { OpenStreams, type Seat } from '@app/journal';
import { toldCategories } from '@app/notices';
import { FeedHub } from './feed-hub';
import { FeedReader } from './feed-reader';

/** The subscription is kept this long after the last reader, for readers that soon return. */
const lingerMs = 5_000;

/** One subscription of this process, with the hub that it delivers events to. */
interface Tail {
  readonly hub: Promise<FeedHub>;
  readonly stopping: AbortController;
  following: Promise<void>;
}

/** Subscribes to the events of notices, once for all streams of this process, for as long as there is a stream. */
@Injectable()
export class FeedTail implements OnApplicationShutdown {
  private readonly logger = new Logger(FeedTail.name);
  private tail: Tail | null = null;
  private hub: FeedHub | null = null;
  private readers = 0;
  private lingering: NodeJS.Timeout | null = null;

  constructor(
    private readonly store: EventStore,
    private readonly feed: FeedReader,
    streams: OpenStreams,
  ) {
    streams.onHeartbeat((nowMs) => this.hub?.age(nowMs));
  }

  /** A place at the hub, which is started if needed. Throws Unavailable. */
  async join(): Promise<Seat> {
    this.readers += 1;
    if (this.lingering !== null) clearTimeout(this.lingering);
    const leave = () => this.leave();
    try {
      const tail = (this.tail ??= this.start());
      return { source: await tail.hub, leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const following = this.tail?.following;
    this.stop();
    await following;
  }

  private leave(): void {
    this.readers -= 1;
    if (this.readers === 0) this.lingering = setTimeout(() => this.stop(), lingerMs).unref();
  }

  private stop(): void {
    if (this.lingering !== null) clearTimeout(this.lingering);
    this.tail?.stopping.abort();
    this.tail = null;
    this.hub = null;
  }

  private start(): Tail {
    const stopping = new AbortController();
    const tail: Tail = { hub: this.startHub(() => tail, stopping.signal), stopping, following: Promise.resolve() };
    // If the hub fails to start, the next reader starts another one.
    tail.hub.catch(() => this.tail === tail && this.stop());
    return tail;
  }

  private async startHub(own: () => Tail, signal: AbortSignal): Promise<FeedHub> {
    const after = await this.store.endPosition();
    const hub = new FeedHub(this.feed, after);
    const tail = own();
    tail.following = followCategories(this.store.tailClient, {
      name: 'the feed',
      categories: toldCategories,
      after,
      signal,
      onBatch: ({ events, upTo }: EventBatch) => this.deliver(hub, events, upTo),
    }).catch((error: unknown) => this.lose(tail, hub, error));
    if (this.tail === tail) this.hub = hub;
    return hub;
  }

  private async deliver(hub: FeedHub, events: EventBatch['events'], upTo: number): Promise<void> {
    hub.deliver(await this.feed.entriesOf(events), upTo);
  }

  /** The hub gets no more events: its readers reconnect, and read what they missed from the store. */
  private lose(tail: Tail, hub: FeedHub, error: unknown): void {
    this.logger.warn(`streams of the feed begin again: ${failureWords(error)}`);
    if (this.tail === tail) this.stop();
    hub.giveUp();
  }
}
