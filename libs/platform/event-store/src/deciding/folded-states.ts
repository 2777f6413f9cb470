import { heldBytes, heldByText, type UserId } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeEvent, type StoredEvent } from '../events/codec';
import type { EventStore } from '../event-store';
import type { SnapshotStore } from './snapshots';
import { streamName, type DomainEvent, type StreamKind } from '../events/stream-kind';

/** Limit of the estimated size of all folded states of a process: some 20,000 conversations of one run each. */
const bytesMax = 32_000_000;
/** Estimated overhead per cache entry, on top of the stream name and the state. */
const entryBytes = 400;
/**
 * An entry is measured when it is cached, and again when its stream has grown by this fraction. That keeps the cost of measuring
 * proportional to appending, however long the stream is, and leaves at most this fraction of the events unmeasured.
 */
const measuredAgainAfter = 1 / 8;
/** Events read at a time while a stream is folded. */
const pageEvents = 1_000;
/** A stream is folded from its last snapshot, which is never further behind than about this. */
const snapshotEveryEvents = 500;
/**
 * For so long no state of an erased user is cached: a fold that began before may still have open words. Longer than any process keeps a key.
 */
const uncachedMs = 120_000;
const uncachedMax = 10_000;

/** A stream's state as of a revision; -1 is a stream without events. */
export interface Folded<State> {
  readonly state: State;
  readonly revision: number;
}

interface CacheEntry {
  readonly folded: Folded<unknown>;
  readonly snapshotRevision: number;
  readonly bytes: number;
  /** The revision at which `bytes` was measured. */
  readonly measuredRevision: number;
  /** The user in whose words the state may be; null where it has none. */
  readonly userId: UserId | null;
}

/**
 * States of streams, folded from the store and cached with their revision, so that a command on a long stream costs no more than on a new
 * one. A cached state may be behind the store: an append at its revision then fails.
 */
export class FoldedStates {
  private readonly cache: LRUCache<string, CacheEntry>;
  /** Users whose keys were just destroyed. */
  private readonly uncached = new LRUCache<UserId, true>({ max: uncachedMax, ttl: uncachedMs });
  /** Controllers that wake the waiters for news, by stream. */
  private readonly waiting = new Map<string, Set<AbortController>>();

  constructor(
    private readonly store: EventStore,
    private readonly snapshots: SnapshotStore,
    maxSize = bytesMax,
  ) {
    this.cache = new LRUCache({ maxSize });
    store.damaged.onDamage(({ stream }) => this.cache.delete(stream));
  }

  /** The state that this process last saw, without reading; null when it has none, which is always so for a damaged stream. */
  peek<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
  ): Folded<State> | null {
    const entry = this.cache.get(streamName(kind, id));
    // Reason for the assertion: entries are keyed by stream name, and a category has one state type.
    return entry === undefined ? null : (entry.folded as Folded<State>);
  }

  /** Returns the state that this process last saw, or reads the state as of now when it has none. Throws Unavailable. */
  async cached<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
  ): Promise<Folded<State>> {
    return this.peek(kind, id) ?? this.fresh(kind, id);
  }

  /** Returns the state as of now by reading the events after the cached revision. Throws Unavailable, DamagedStream. */
  async fresh<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
  ): Promise<Folded<State>> {
    const stream = streamName(kind, id);
    let folded = this.peek(kind, id) ?? (await this.fromSnapshot(kind, id));
    for (;;) {
      const page = await this.store.readStream(stream, folded.revision + 1, pageEvents);
      if (page.length === 0 && folded.revision < 0) await this.store.streamReads.refuseGone(stream);
      if (page.length === 0) return folded;
      folded = this.advance(kind, id, folded, page);
      this.store.feed.publish(page);
      if (page.length < pageEvents) return folded;
    }
  }

  /**
   * Resolves when this process has seen an event of the stream after a revision, when the signal aborts, and at the latest after
   * `withinMs`. It is only a hint: events that others append reach this process late, or not at all.
   */
  async untilNews(
    kind: { readonly category: string },
    id: string,
    { after, withinMs, signal }: { readonly after: number; readonly withinMs: number; readonly signal?: AbortSignal },
  ): Promise<void> {
    const stream = streamName(kind, id);
    if (this.store.feed.newestOf(stream) > after) return;
    const woken = new AbortController();
    const waiters = this.waiting.get(stream) ?? new Set();
    this.waiting.set(stream, waiters.add(woken));
    const ending = signal === undefined ? woken.signal : AbortSignal.any([woken.signal, signal]);
    await sleep(withinMs, undefined, { signal: ending }).catch(() => undefined); // woken or aborted
    waiters.delete(woken);
    if (waiters.size === 0 && this.waiting.get(stream) === waiters) this.waiting.delete(stream);
  }

  /** Whether a caller waits for news of the stream. */
  isAwaited(stream: string): boolean {
    return this.waiting.has(stream);
  }

  /** Wakes all who wait for news of the stream. */
  wake(stream: string): void {
    for (const waiter of this.waiting.get(stream) ?? []) waiter.abort();
  }

  /** Caches a state that the store was just seen to have. */
  keep<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    folded: Folded<State>,
  ): void {
    const stream = streamName(kind, id);
    let snapshotRevision = this.cache.get(stream)?.snapshotRevision ?? -1;
    if (folded.revision - snapshotRevision >= snapshotEveryEvents) {
      const sealedFor = kind.sealedFor?.(id, folded.state);
      this.snapshots.saveLater({ stream, version: kind.stateVersion, ...folded, sealedFor });
      snapshotRevision = folded.revision;
    }
    this.set(stream, folded, { snapshotRevision, userId: ownerOf(kind, id, folded.state) });
  }

  private set(
    stream: string,
    folded: Folded<unknown>,
    { snapshotRevision, userId }: Pick<CacheEntry, 'snapshotRevision' | 'userId'>,
  ): void {
    if (userId !== null && this.uncached.has(userId)) return void this.cache.delete(stream);
    const known = this.cache.peek(stream);
    const isMeasured =
      known !== undefined && folded.revision + 1 < (known.measuredRevision + 1) * (1 + measuredAgainAfter);
    const { bytes, measuredRevision } = isMeasured
      ? known
      : { bytes: entryBytes + heldByText(stream) + heldBytes(folded.state), measuredRevision: folded.revision };
    this.cache.set(stream, { folded, snapshotRevision, bytes, measuredRevision, userId }, { size: bytes });
  }

  /** Folds events that directly follow `from`, and caches the result. @throws DamagedStream for an event that the kind cannot fold */
  private advance<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    from: Folded<State>,
    events: readonly StoredEvent[],
  ): Folded<State> {
    const state = events.reduce(
      (before, stored) =>
        this.store.damaged.reading(stored, () => kind.decider.evolve(before, decodeEvent(kind, stored).event)),
      from.state,
    );
    const folded = { state, revision: from.revision + events.length };
    this.keep(kind, id, folded);
    return folded;
  }

  /** Drops the cached state of a stream that may have changed. */
  forget(kind: { readonly category: string }, id: string): void {
    this.cache.delete(streamName(kind, id));
  }

  /** Drops the states with words of a user whose keys were destroyed, and caches none for two minutes. */
  forgetUser(userId: UserId): void {
    this.uncached.set(userId, true);
    for (const [stream, entry] of this.cache.entries()) if (entry.userId === userId) this.cache.delete(stream);
  }

  /** Drops all states: keys may have been destroyed unnoticed. */
  forgetAll(): void {
    this.cache.clear();
  }

  private async fromSnapshot<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
  ): Promise<Folded<State>> {
    const stream = streamName(kind, id);
    const snapshot = await this.snapshots.load(stream, kind.stateVersion);
    if (snapshot === null) return { state: kind.decider.initialState, revision: -1 };
    // A snapshot must not hide that the events before it are gone.
    await this.store.readKnown(stream, 0, 1);
    // Reason for the assertion: an equal `stateVersion` means that the stored shape is the present one.
    const folded = { state: snapshot.state as State, revision: snapshot.revision };
    this.set(stream, folded, { snapshotRevision: folded.revision, userId: ownerOf(kind, id, folded.state) });
    return folded;
  }
}

/** The user whose words a state may have; null for a state without any. */
function ownerOf<State, Command, Event extends DomainEvent>(
  { sealedFor }: StreamKind<State, Command, Event>,
  id: string,
  state: State,
): UserId | null {
  try {
    return sealedFor?.(id, state).userId ?? null;
  } catch {
    return null; // the stream names no user yet
  }
}
