import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore, followStream } from '@app/event-store';
import type { ConversationId } from '@app/kernel';
import { Notifications } from '@app/read-store';
import { ConversationHub } from './conversation-hub';
import { JournalKind, liveFrame } from './fin-event';
import { Journal } from './journal';
import { liveChannel, readDelta } from './live-channel';

/** A hub without readers is kept for those that come right back, but only so many of them. */
const lingerMs = 5_000;
const lingeringMax = 200;

interface Entry {
  readonly hub: Promise<ConversationHub>;
  readonly stop: AbortController;
  readers: number;
  lingering: NodeJS.Timeout | null;
}

/** The hubs of this process, one per conversation that somebody streams: each has one upstream subscription. */
@Injectable()
export class ConversationHubs implements OnApplicationShutdown {
  private readonly entries = new Map<ConversationId, Entry>();
  private readonly started = new Map<string, ConversationHub>();
  private readonly following = new Set<Promise<void>>();
  private readonly stopListening: () => void;
  private lingering = 0;

  constructor(
    private readonly store: EventStore,
    private readonly journal: Journal,
    private readonly kind: JournalKind,
    notifications: Notifications,
  ) {
    this.stopListening = notifications.on(liveChannel, (payload) => this.heard(payload));
  }

  /** Hubs that follow a conversation now. */
  get open(): number {
    return this.entries.size;
  }

  /** The hub of a conversation, started if need be. `leave` is owed for each successful call. Throws Unavailable. */
  async join(id: ConversationId): Promise<ConversationHub> {
    const entry = this.entries.get(id) ?? this.start(id);
    entry.readers += 1;
    this.endLingering(entry);
    try {
      return await entry.hub;
    } catch (error) {
      if (this.entries.get(id) === entry) this.entries.delete(id);
      throw error;
    }
  }

  /** Gives up a joined hub; it stops a short while after the last one has left. */
  leave(id: ConversationId): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    entry.readers -= 1;
    if (entry.readers > 0) return;
    if (this.lingering >= lingeringMax) return this.stop(id, entry);
    this.lingering += 1;
    entry.lingering = setTimeout(() => this.stop(id, entry), lingerMs).unref();
  }

  /** Lets every hub drop frames that are too old to be of use. */
  age(nowMs: number): void {
    for (const hub of this.started.values()) hub.age(nowMs);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopListening();
    for (const [id, entry] of this.entries) this.stop(id, entry);
    await Promise.all(this.following);
  }

  private start(id: ConversationId): Entry {
    const stop = new AbortController();
    const entry: Entry = { hub: this.startHub(id, stop.signal), stop, readers: 0, lingering: null };
    this.entries.set(id, entry);
    return entry;
  }

  private async startHub(id: ConversationId, signal: AbortSignal): Promise<ConversationHub> {
    const afterRevision = await this.journal.lastRevision(id);
    const hub = new ConversationHub(id, this.journal, this.kind, afterRevision);
    if (signal.aborted) return hub;
    this.started.set(id, hub);
    const stream = this.journal.streamOf(id);
    const following = followStream(this.store.tailClient, {
      stream,
      afterRevision,
      signal,
      onBatch: (batch) => hub.deliver(batch),
    }).finally(() => this.following.delete(following));
    this.following.add(following);
    return hub;
  }

  private stop(id: ConversationId, entry: Entry): void {
    this.endLingering(entry);
    this.entries.delete(id);
    this.started.delete(id);
    entry.stop.abort();
  }

  private endLingering(entry: Entry): void {
    if (entry.lingering === null) return;
    clearTimeout(entry.lingering);
    entry.lingering = null;
    this.lingering -= 1;
  }

  private heard(payload: string): void {
    if (this.started.size === 0) return;
    const delta = readDelta(payload, (conversationId) => this.started.has(conversationId));
    if (delta === null) return;
    this.started
      .get(delta.conversationId)
      ?.deliverLive(delta.messageId, liveFrame('agent.text_delta', delta.payloadText));
  }
}
