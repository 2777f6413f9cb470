import { StreamDeletedError } from '@eventstore/db-client';
import { DamagedStream, Unavailable } from '@app/kernel';
import { readOfStream, type Direction, type ReceivedEvent } from '@app/event-store-wire';
import { decodeStored, type StoredEvent } from '../events/codec';
import type { DamagedStreams } from '../damaged-streams/damaged-streams';
import { cutIn, hidesAll } from '../damaged-streams/stream-metadata';

type Collect = (request: Buffer, take: (event: ReceivedEvent) => boolean) => Promise<'read' | 'missing'>;

/** The readable part of a stream: its first and last revision, both -1 when there is none, and its damage, null for none. */
export interface Remains {
  readonly first: number;
  readonly last: number;
  readonly damage: DamagedStream | null;
}

/**
 * Reads single streams. The product folds either a whole stream or gets a named error: a read begins at the requested revision and has no
 * gap, and a stream that existed is not taken for new when nothing can be read of it. Checking takes no further call, except one for a
 * stream without any event, unless the metadata of all streams is followed.
 */
export class StreamReads {
  /** Set while a subscription reports all changes of metadata to `damaged`, so that no read has to ask for them. */
  metadataFollowed = false;

  constructor(
    private readonly damaged: DamagedStreams,
    private readonly collect: Collect,
  ) {}

  /** Reads events from a revision (inclusive), each as it arrives, until `more` returns false. Throws Unavailable, DamagedStream. */
  async forwards(
    stream: string,
    from: number,
    maxCount: number,
    more: (event: ReceivedEvent) => boolean,
  ): Promise<void> {
    this.damaged.refuse(stream);
    let next = from;
    await this.naming(stream, async () => {
      const answer = await this.collect(readOfStream(stream, from, maxCount, 'forwards'), (event) => {
        if (event.revision !== next) throw new DamagedStream(stream, 'truncated', event.revision);
        next += 1;
        return more(event);
      });
      // A reader that starts at a later revision has seen an earlier event.
      if (answer === 'missing' && from > 0) throw new DamagedStream(stream, 'deleted');
    });
  }

  /** As `forwards`, up to the event at which the stored bytes exceed a bound. `more`: a bound ended it. Throws Unavailable, DamagedStream. */
  async within(
    stream: string,
    from: number,
    { events: maxCount, bytes: bytesMax }: { readonly events: number; readonly bytes: number },
  ): Promise<{ readonly events: StoredEvent[]; readonly more: boolean }> {
    const events: StoredEvent[] = [];
    let bytes = 0;
    await this.forwards(stream, from, maxCount, (event) => {
      events.push(ownEvent(event));
      bytes += event.data.length + event.metadata.length;
      return bytes <= bytesMax;
    });
    return { events, more: events.length === maxCount || bytes > bytesMax };
  }

  /** Returns events from a revision (inclusive) downwards. Throws Unavailable, DamagedStream. */
  async backwards(stream: string, from: number, maxCount: number): Promise<ReceivedEvent[]> {
    this.damaged.refuse(stream);
    const events: ReceivedEvent[] = [];
    await this.naming(stream, async () => {
      const answer = await this.collect(readOfStream(stream, from, maxCount, 'backwards'), (event) => {
        const above = events.at(-1)?.revision;
        if (above !== undefined && event.revision !== above - 1) throw new DamagedStream(stream, 'truncated', above);
        return events.push(event) > 0;
      });
      if (answer === 'missing') throw new DamagedStream(stream, 'deleted');
      const lowest = events.at(-1)?.revision ?? 0;
      if (events.length < maxCount && lowest > 0) throw new DamagedStream(stream, 'truncated', lowest);
    });
    return events;
  }

  /** Revision of the last event, or -1 for a stream that never had one. Throws Unavailable, DamagedStream. */
  async lastRevision(stream: string): Promise<number> {
    this.damaged.refuse(stream);
    return this.naming(stream, async () => {
      const [last] = await this.read(stream, 'end', 1, 'backwards');
      if (last === undefined) await this.refuseGone(stream);
      return last?.revision ?? -1;
    });
  }

  /** Checks that a stream of which nothing can be read is new. @throws DamagedStream when it is not; Unavailable */
  async refuseGone(stream: string): Promise<void> {
    this.damaged.refuse(stream);
    if (this.metadataFollowed) return;
    const gone = await this.goneBy(stream);
    if (gone === null) return;
    this.damaged.add(gone);
    throw gone;
  }

  /** For a revision that was seen before and cannot be read now. @throws DamagedStream, which it lists; Unavailable */
  async refuseLost(stream: string, revision: number): Promise<never> {
    const { damage, last } = await this.remains(stream);
    // A server that was behind for a moment is no damage.
    if (damage === null && last >= revision) throw new Unavailable('event store');
    const lost = damage ?? new DamagedStream(stream, 'deleted');
    this.damaged.add(lost);
    throw lost;
  }

  /** Returns the remaining events from a revision on, even if others are missing; none of a stream that is gone. Throws Unavailable. */
  async remaining(stream: string, from: number, maxCount: number): Promise<ReceivedEvent[]> {
    try {
      return await this.read(stream, from, maxCount, 'forwards');
    } catch (error) {
      if (error instanceof StreamDeletedError) return [];
      throw error;
    }
  }

  /** Returns what remains of a stream, read now. Only folding finds damage in its middle. Throws Unavailable. */
  async remains(stream: string): Promise<Remains> {
    try {
      const [[first], [last]] = await Promise.all([
        this.read(stream, 0, 1, 'forwards'),
        this.read(stream, 'end', 1, 'backwards'),
      ]);
      if (first === undefined || last === undefined) return { ...none, damage: await this.goneBy(stream) };
      const damage = first.revision > 0 ? new DamagedStream(stream, 'truncated', first.revision) : null;
      return { first: first.revision, last: last.revision, damage };
    } catch (error) {
      if (error instanceof StreamDeletedError) return { ...none, damage: new DamagedStream(stream, 'tombstoned') };
      throw error;
    }
  }

  /** Returns the present damage of a stream that was seen damaged, or null for a whole one. Throws Unavailable. */
  async examine(seen: DamagedStream): Promise<DamagedStream | null> {
    const { damage } = await this.remains(seen.stream);
    if (damage !== null || seen.from === null || seen.damage === 'deleted') return damage;
    if (seen.damage === 'foreign') return seen;
    // A gap in the middle: read the event before the one that followed the gap.
    const [before] = await this.remaining(seen.stream, Math.max(0, seen.from - 1), 1);
    return before?.revision === Math.max(0, seen.from - 1) ? null : seen;
  }

  /** Soft-deleted streams, and those whose events are all hidden, read like new ones; their metadata shows the difference. */
  private async goneBy(stream: string): Promise<DamagedStream | null> {
    const [metadata] = await this.read(`$$${stream}`, 'end', 1, 'backwards');
    const cut = metadata === undefined ? null : cutIn(metadata.data);
    return cut !== null && hidesAll(cut) ? new DamagedStream(stream, 'deleted') : null;
  }

  private async read(stream: string, from: number | 'end', maxCount: number, direction: Direction) {
    const events: ReceivedEvent[] = [];
    await this.collect(readOfStream(stream, from, maxCount, direction), (event) => events.push(event) > 0);
    return events;
  }

  /**
   * Lists the stream when a read finds it damaged. The stream is read once more first, because a server that is behind for a moment is no
   * damage.
   */
  private async naming<Value>(stream: string, read: () => Promise<Value>): Promise<Value> {
    try {
      return await read();
    } catch (error) {
      const seen = error instanceof StreamDeletedError ? new DamagedStream(stream, 'tombstoned') : error;
      if (!(seen instanceof DamagedStream)) throw error;
      const found = await this.examine(seen);
      if (found === null) throw new Unavailable('event store', { cause: seen });
      this.damaged.add(found);
      throw found;
    }
  }
}

const none = { first: -1, last: -1 };

/** As `decodeStored`. @throws DamagedStream for an event that this product did not write */
export function ownEvent(received: ReceivedEvent): StoredEvent {
  try {
    return decodeStored(received);
  } catch (error) {
    if (error instanceof TypeError) throw new DamagedStream(received.stream, 'foreign', received.revision);
    throw error;
  }
}
