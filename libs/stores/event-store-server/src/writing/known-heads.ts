import { LRUCache } from 'lru-cache';
import type { Head } from '../streams/head';

/** Estimated bytes of a head without metadata: its object, and the cache's overhead. */
const entryBytes = 200;
/** Bytes of a character of the stream's name, at worst. */
const characterBytes = 2;
/** Estimated bytes of parsed metadata per stored byte. */
const metadataFactor = 8;

/** Committed heads by base stream, limited by bytes: names have up to 1,024, and metadata may be as large as an append. */
export class KnownHeads {
  private readonly heads: LRUCache<string, Head>;

  constructor(bytesMax: number) {
    this.heads = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ metadata }, stream) =>
        entryBytes + characterBytes * stream.length + metadataFactor * (metadata?.storedBytes ?? 0),
    });
  }

  has(baseStream: string): boolean {
    return this.heads.has(baseStream);
  }

  get(baseStream: string): Head | undefined {
    return this.heads.get(baseStream);
  }

  set(baseStream: string, head: Head): void {
    this.heads.set(baseStream, head);
  }

  clear(): void {
    this.heads.clear();
  }
}
