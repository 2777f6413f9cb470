import { LRUCache } from 'lru-cache';
import type { KeyId } from './key-store';

const bytesMax = 32 * 1024 * 1024;
/** Estimated bytes of an entry in addition to its texts. */
const entryBytes = 200;

interface Entry {
  readonly keyId: KeyId;
  readonly text: string;
}

/** Texts with open words that were read last, so that several readers of the same cost one opening. The owner clears them every few seconds. */
export class OpenedTexts {
  private readonly entries = new LRUCache<string, Entry>({
    maxSize: bytesMax,
    sizeCalculation: ({ text }, name) => 2 * (text.length + name.length) + entryBytes,
  });

  get(name: string): string | undefined {
    return this.entries.get(name)?.text;
  }

  /** @param keyId of the key that opened the words */
  set(name: string, keyId: KeyId, text: string): void {
    this.entries.set(name, { keyId, text });
  }

  /** Removes what was opened with these keys. */
  forget(ids: readonly KeyId[]): void {
    const gone = new Set(ids);
    for (const [name, { keyId }] of [...this.entries.entries()]) if (gone.has(keyId)) this.entries.delete(name);
  }

  clear(): void {
    this.entries.clear();
  }
}
