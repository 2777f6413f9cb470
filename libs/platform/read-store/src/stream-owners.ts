import { unlessDamaged, type EventStore, type StoredEvent } from '@app/event-store';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

/** Streams whose owner is remembered, by number: a name and a number each. */
const streamsMax = 50_000;

/** What is asked of the store. */
type Reads = Pick<EventStore, 'readStream'>;

/**
 * Whose events are whose: the owner of a stream is the user that its first event names or, where that names none, the id in the stream's
 * name, which is the user's own for accounts, budgets and wallets. No row of a read model is made of the events of two owners.
 */
export class StreamOwners {
  /** A number for the owner of each stream, which the number of partitions divides. */
  private readonly known = new LRUCache<string, number>({ max: streamsMax });

  constructor(private readonly store: Reads) {}

  /** In which of so many partitions the owner of each event is. Reads the beginning of streams that are not known. Throws Unavailable. */
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

  /** Where the first event of a stream is gone its owner is not known, and its rows must not hold up those of the others. */
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
