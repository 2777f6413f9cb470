import { followCategories, idInStream, type EventStore, type StoredEvent } from '@app/event-store';
import { asId, type ConversationId } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import type { JournalKind } from './fin-event';

/** Most conversations whose newest revision is remembered, each an id and a revision: more than can change while a hub starts. */
const newestKeptMax = 20_000;

/**
 * All conversations' events as they happen, by one subscription of this process for any number of streams
 * (docs/adr/0010-one-tail-for-all-streams.md). Costs nothing until it is started.
 */
export class ConversationTail {
  private readonly newest = new LRUCache<ConversationId, number>({ max: newestKeptMax });
  private starting: Promise<void> | null = null;
  private stopping = new AbortController();
  private following: Promise<void> = Promise.resolve();

  /**
   * @param onEvent called with one event at a time; it must not throw
   * @param onLost called when events end although it was not stopped: it has to be started again, and events until then are not delivered
   */
  constructor(
    private readonly store: EventStore,
    private readonly kind: JournalKind,
    private readonly onEvent: (id: ConversationId, event: StoredEvent) => Promise<void>,
    private readonly onLost: (error: unknown) => void,
  ) {}

  /** Resolves when every event from now on, until `stop`, is certain to reach `onEvent`, perhaps late. Throws Unavailable. */
  start(): Promise<void> {
    if (this.starting !== null) return this.starting;
    this.stopping = new AbortController();
    const starting = this.startAfterEnd(this.stopping.signal).catch((error: unknown) => {
      if (this.starting === starting) this.starting = null;
      throw error;
    });
    this.starting = starting;
    return starting;
  }

  /** Resolves when `onEvent` is not called any more. */
  async stop(): Promise<void> {
    this.starting = null;
    this.stopping.abort();
    await this.following;
  }

  /** Returns the newest revision that the tail has seen of a conversation recently, or -1. A read may still be behind it. */
  newestOf(id: ConversationId): number {
    return this.newest.get(id) ?? -1;
  }

  private async startAfterEnd(signal: AbortSignal): Promise<void> {
    const after = await this.store.endPosition();
    if (signal.aborted) return;
    const { category } = this.kind;
    const earlier = this.following;
    const following = followCategories(this.store.tailClient, {
      categories: [category],
      after,
      signal,
      feed: this.store.feed,
      onBatch: async ({ events }) => {
        for (const event of await this.store.open([...events])) if (!signal.aborted) await this.receive(event);
      },
    });
    this.following = following.catch((error: unknown) => this.lose(signal, error)).then(() => earlier);
  }

  private lose(signal: AbortSignal, error: unknown): void {
    if (signal.aborted) return;
    this.stopping.abort();
    this.starting = null;
    this.onLost(error);
  }

  private async receive(event: StoredEvent): Promise<void> {
    const name = idInStream(this.kind, event.stream);
    if (name === null) return;
    const id = asId<ConversationId>(name);
    this.newest.set(id, Math.max(event.revision, this.newestOf(id)));
    await this.onEvent(id, event);
  }
}
