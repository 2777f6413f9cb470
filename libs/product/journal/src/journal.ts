import { Injectable } from '@nestjs/common';
import { EventStore, streamName, type StoredEvent } from '@app/event-store';
import { parseUuid, type ConversationId, type UserId } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import { JournalKind } from './fin-event';

/** Most owners cached per process, each two ids; an owner never changes, so entries are never stale. */
const ownersKeptMax = 50_000;

/** Reads of conversations' streams, straight from the event store: a conversation's stream is its journal. */
@Injectable()
export class Journal {
  private readonly owners = new LRUCache<ConversationId, UserId>({ max: ownersKeptMax });

  constructor(
    private readonly store: EventStore,
    private readonly kind: JournalKind,
  ) {}

  /** The name of a conversation's stream. */
  streamOf(id: ConversationId): string {
    return streamName(this.kind, id);
  }

  /** Whether the conversation exists and belongs to this user. Throws Unavailable. */
  async belongsTo(id: ConversationId, userId: UserId): Promise<boolean> {
    const known = this.owners.get(id);
    if (known !== undefined) return known === userId;
    const [first] = await this.store.readStream(this.streamOf(id), 0, 1);
    // The first event of a conversation names its owner, privately.
    const owner = parseUuid<UserId>(first?.metadata.private?.['userId']);
    if (owner === null) return false;
    this.owners.set(id, owner);
    return owner === userId;
  }

  /** As `EventStore.readStreamWithin`. Throws Unavailable. */
  async readWithin(
    id: ConversationId,
    fromRevision: number,
    bounds: { readonly events: number; readonly bytes: number },
  ): Promise<{ readonly events: StoredEvent[]; readonly more: boolean }> {
    return this.store.readStreamWithin(this.streamOf(id), fromRevision, bounds);
  }

  /** Returns at most `maxCount` events, oldest first, from a revision (inclusive). Throws Unavailable. */
  async read(id: ConversationId, fromRevision: number, maxCount: number): Promise<StoredEvent[]> {
    return this.store.readStream(this.streamOf(id), fromRevision, maxCount);
  }

  /** Returns the revision of the newest event. Throws Unavailable. */
  async lastRevision(id: ConversationId): Promise<number> {
    return this.store.lastRevision(this.streamOf(id));
  }
}
