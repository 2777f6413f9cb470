import type { EventStore, StoredEvent } from '@app/event-store';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

/** Streams whose owner is remembered, by number: a name and an id each. */
const streamsMax = 50_000;

/** What is asked of the store. */
type Reads = Pick<EventStore, 'readStream'>;

/**
 * Whose events are whose: the owner of a stream is the user that its first event names or, where that names none, the id in the stream's
 * name, which is the user's own for accounts, budgets and wallets. No row of a read model is made of the events of two owners.
 */
export class StreamOwners {
  private readonly owners = new LRUCache<string, string>({ max: streamsMax });

  constructor(private readonly store: Reads) {}

  /** In which of so many partitions the owner of each event is. Reads the beginning of streams that are not known. Throws Unavailable. */
  async partitionsOf(events: readonly StoredEvent[], partitions: number): Promise<(event: StoredEvent) => number> {
    if (partitions === 1) return () => 0;
    const owners = new Map<string, string>();
    for (const event of events) if (event.revision === 0) owners.set(event.stream, ownerOf(event));
    const unread = new Set<string>();
    for (const { stream } of events) {
      const known = owners.get(stream) ?? this.owners.get(stream);
      if (known === undefined) unread.add(stream);
      else owners.set(stream, known);
    }
    await Promise.all([...unread].map(async (stream) => owners.set(stream, await this.read(stream))));
    for (const [stream, owner] of owners) this.owners.set(stream, owner);
    return ({ stream }) => partitionOf(owners.get(stream) ?? idIn(stream), partitions);
  }

  private async read(stream: string): Promise<string> {
    const [first] = await this.store.readStream(stream, 0, 1);
    return first === undefined ? idIn(stream) : ownerOf(first);
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

function partitionOf(owner: string, partitions: number): number {
  return createHash('md5').update(owner).digest().readUInt32BE(0) % partitions;
}
