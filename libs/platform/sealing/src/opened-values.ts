import { LRUCache } from 'lru-cache';
import type { JsonValue, Sealed } from '@app/kernel';
import type { KeyId } from './key-store';
import { placeOf, plainText } from './sealed-text';

/** Most bytes of texts in memory. */
const bytesMax = 16 * 1024 * 1024;
/** Longer sealed texts are opened each time: hashing them as a key would cost much of what opening them costs. */
const lengthMax = 2_048;
/** Estimated bytes of an entry in addition to its texts. */
const entryBytes = 160;

/** The words that were opened last, so that several readers of one journal cost one opening. They are kept as long as keys. */
export class OpenedValues {
  private readonly texts: LRUCache<string, string>;

  /** @param keptMs for so long a text is returned; a sweep removes it */
  constructor(keptMs: number) {
    this.texts = new LRUCache({
      maxSize: bytesMax,
      ttl: keptMs,
      sizeCalculation: (plain, sealed) => 2 * (plain.length + sealed.length) + entryBytes,
    });
  }

  /** As `openValue`. @throws Error when it does not open */
  open(key: Buffer, sealed: Sealed): JsonValue {
    // Reason for the assertion: `sealValue` encrypts JSON.
    return JSON.parse(this.textOf(key, sealed)) as JsonValue;
  }

  sweep(): void {
    this.texts.purgeStale();
  }

  /** Removes what was opened with these keys. */
  forget(ids: ReadonlySet<KeyId>): void {
    // Reason for the assertion: a sealed text names the key that it was sealed under.
    for (const sealed of [...this.texts.keys()])
      if (ids.has(placeOf({ sealed }).keyId as KeyId)) this.texts.delete(sealed);
  }

  clear(): void {
    this.texts.clear();
  }

  private textOf(key: Buffer, sealed: Sealed): string {
    if (sealed.sealed.length > lengthMax) return plainText(key, sealed);
    const known = this.texts.get(sealed.sealed);
    if (known !== undefined) return known;
    const plain = plainText(key, sealed);
    this.texts.set(sealed.sealed, plain);
    return plain;
  }
}
