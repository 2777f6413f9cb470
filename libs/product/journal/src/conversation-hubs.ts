import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore, idInStream, type StoredEvent } from '@app/event-store';
import { asId, type ConversationId, failureWords } from '@app/kernel';
import { Notifications } from '@app/read-store';
import { conversationKeyId } from '@app/sealing';
import { ConversationHub } from './conversation-hub';
import { ConversationTail } from './conversation-tail';
import { JournalKind, liveFrame } from './fin-event';
import { Journal } from './journal';
import type { Seat } from './event-streams';
import { liveChannel, openLive, readLive, type SealedLive } from './live-channel';

/** How long a hub without readers is kept for those that reconnect at once, and how many such hubs at most. */
const lingerMs = 5_000;
const lingeringMax = 200;

interface Entry {
  readonly hub: Promise<ConversationHub>;
  readers: number;
  lingering: NodeJS.Timeout | null;
}

interface HubSeat extends Seat {
  readonly source: ConversationHub;
}

/** The hubs of this process, one per conversation with a stream; while there are any, one tail brings their events. */
@Injectable()
export class ConversationHubs implements OnApplicationShutdown {
  private readonly logger = new Logger(ConversationHubs.name);
  private readonly entries = new Map<ConversationId, Entry>();
  private readonly started = new Map<string, ConversationHub>();
  private readonly tail: ConversationTail;
  private readonly stopListening: () => void;
  private lingering = 0;
  private hearing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: EventStore,
    private readonly journal: Journal,
    private readonly kind: JournalKind,
    notifications: Notifications,
  ) {
    this.tail = new ConversationTail(
      store,
      kind,
      (id, event) => this.deliver(id, event),
      (error) => this.beginAnew(error),
    );
    const stopListening = notifications.on(liveChannel, (notification) => this.deliverLive(notification));
    const stopWatching = store.damaged.onDamage(({ stream }) => this.endDamaged(idInStream(kind, stream)));
    this.stopListening = () => {
      stopListening();
      stopWatching();
    };
  }

  /** The number of hubs that follow a conversation now. */
  get open(): number {
    return this.entries.size;
  }

  /** Returns a seat at the hub of a conversation, which is started if need be. Throws Unavailable. */
  async join(id: ConversationId): Promise<HubSeat> {
    const entry = this.entries.get(id) ?? this.start(id);
    entry.readers += 1;
    this.endLingering(entry);
    try {
      return { source: await entry.hub, leave: () => this.leave(id, entry) };
    } catch (error) {
      this.stop(id, entry);
      throw error;
    }
  }

  /** Lets every hub drop frames that are too old to be of use. */
  age(nowMs: number): void {
    for (const hub of this.started.values()) hub.age(nowMs);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopListening();
    for (const [id, entry] of this.entries) this.stop(id, entry);
    await this.tail.stop();
  }

  private start(id: ConversationId): Entry {
    const isWanted = (): boolean => this.entries.get(id) === entry;
    const entry: Entry = { hub: this.startHub(id, isWanted), readers: 0, lingering: null };
    this.entries.set(id, entry);
    return entry;
  }

  /** @param isWanted false once it was stopped during its start: events then belong to the hub that was started after it */
  private async startHub(id: ConversationId, isWanted: () => boolean): Promise<ConversationHub> {
    await this.tail.start();
    const read = await this.journal.lastRevision(id);
    // Events that the tail has brought so far are replayed to readers; later ones are delivered.
    const hub = new ConversationHub(id, this.journal, this.kind, Math.max(read, this.tail.newestOf(id)));
    if (isWanted()) this.started.set(id, hub);
    return hub;
  }

  /** Stops the hub a short while after its last reader has left. */
  private leave(id: ConversationId, entry: Entry): void {
    entry.readers -= 1;
    if (entry.readers > 0 || this.entries.get(id) !== entry) return;
    if (this.lingering >= lingeringMax) return this.stop(id, entry);
    this.lingering += 1;
    entry.lingering = setTimeout(() => this.stop(id, entry), lingerMs).unref();
  }

  private stop(id: ConversationId, entry: Entry): void {
    this.endLingering(entry);
    if (this.entries.get(id) !== entry) return;
    this.entries.delete(id);
    this.started.delete(id);
    if (this.entries.size === 0) void this.tail.stop();
  }

  private async deliver(id: ConversationId, event: StoredEvent): Promise<void> {
    const hub = this.started.get(id);
    if (hub === undefined) return;
    try {
      await hub.deliver(event);
    } catch (error) {
      this.logger.warn(`the streams of a conversation begin again: ${failureWords(error)}`);
      const entry = this.entries.get(id);
      if (entry !== undefined) this.stop(id, entry);
      hub.giveUp();
    }
  }

  /** The hubs get no more events: their readers reconnect, and read the missed ones from the store. */
  private beginAnew(error: unknown): void {
    this.logger.warn(`all streams begin again: ${failureWords(error)}`);
    for (const [id, entry] of this.entries) this.end(id, entry);
  }

  /** Ends a hub and all its readers. */
  private end(id: ConversationId, entry: Entry): void {
    this.stop(id, entry);
    entry.hub.then(
      (hub) => hub.giveUp(),
      () => undefined, // a hub that did not start has rejected for every waiting caller
    );
  }

  /** Readers of a damaged conversation reconnect, and get the answer that every call gets; none is served from memory. */
  private endDamaged(name: string | null): void {
    const id = name === null ? null : asId<ConversationId>(name);
    const entry = id === null ? undefined : this.entries.get(id);
    if (id !== null && entry !== undefined) this.end(id, entry);
  }

  private endLingering(entry: Entry): void {
    if (entry.lingering === null) return;
    clearTimeout(entry.lingering);
    entry.lingering = null;
    this.lingering -= 1;
  }

  private deliverLive(notification: string): void {
    if (this.started.size === 0) return;
    const sealed = readLive(notification, (conversationId) => this.started.has(conversationId));
    // In the order in which they came, also while a key is read.
    if (sealed !== null) this.hearing = this.hearing.then(() => this.openAndDeliver(sealed));
  }

  /** Never throws: without its key a payload is lost, and the journal will have the whole message or the result. */
  private async openAndDeliver(sealed: SealedLive): Promise<void> {
    try {
      const { conversationId } = sealed;
      const keyId = conversationKeyId(conversationId);
      const key = (await this.store.keys?.keysOf([keyId]))?.get(keyId) ?? null;
      const heard = key === null ? null : openLive(sealed, key);
      if (heard === null) return;
      const { type, subject, payloadText } = heard;
      this.started.get(conversationId)?.deliverLive(subject, liveFrame(type, payloadText));
    } catch (error) {
      this.logger.warn(`a live frame is lost: ${failureWords(error)}`);
    }
  }
}
