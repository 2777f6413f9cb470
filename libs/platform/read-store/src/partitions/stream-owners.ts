import { unlessDamaged, type EventStore, type StoredEvent } from '@app/event-store';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

/** Maximum number of cached streams: a name and a number each. */
const streamsMax = 50_000;

/** The part of the store that is used here. */
type Reads = Pick<EventStore, 'readStream'>;

/**
 * The owner of each stream: the user that its first event names, otherwise the id in the stream's name, which is the user's own for
 * accounts, budgets and wallets. No row of a read model is folded from the events of two owners.
 */
export class StreamOwners {
  /** A number for the owner of each stream; modulo the number of partitions it yields the partition. */
  private readonly known = new LRUCache<string, number>({ max: streamsMax });

  constructor(private readonly store: Reads) {}

  /**
   * Returns a function from each event to its owner's partition. Reads the first events of streams that are not cached. Throws Unavailable.
   */
  async partitionsOf(events: readonly StoredEvent[], partitions: number): Promise<(event: StoredEvent) => number> {
    if (partitions === 1) return () => 0;
    const owners = new Map<string, number>();
    const unread = new Set<string>();
    for (const event of events) {
      const { stream } = event;
      if (owners.has(stream)) continue;
      const owner = this.known.get(stream) ?? (event.revision === 0 ? numberOf(ownerOf(event)) : undefined);
      if (owner === undefined) unread.add(stream);
      else owners.set(stream, owner);
    }
    await Promise.all([...unread].map(async (stream) => owners.set(stream, await this.read(stream))));
    for (const [stream, owner] of owners) this.known.set(stream, owner);
    return ({ stream }) => (owners.get(stream) ?? numberOf(idIn(stream))) % partitions;
  }

  /** If the first event of a stream is gone its owner is unknown, but its rows must not delay those of others. */
  private async read(stream: string): Promise<number> {
    const [first] = (await unlessDamaged(() => this.store.readStream(stream, 0, 1))) ?? [];
    return numberOf(first === undefined ? idIn(stream) : ownerOf(first));
  }
}

/** @param first event of a stream */
function ownerOf({ stream, payload, metadata }: StoredEvent): string {
  const { userId = metadata.private?.['userId'] } = payload;
  return typeof userId === 'string' ? userId : idIn(stream);
}

function idIn(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}

function numberOf(owner: string): number {
  return createHash('md5').update(owner).digest().readUInt32BE(0);
}
