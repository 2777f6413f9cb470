import { LRUCache } from 'lru-cache';
import type { JsonValue, Sealed } from '@app/kernel';
import { KeyDestroyed, type KeyId, type KeyStore, type SealedFor } from './key-store';
import { OpenedTexts } from './opened-texts';
import { placeOf, plainText } from './sealed-text';

/** A process forgets a key at most this long after it was read (docs/decisions/personal-data.md): within a minute, with what is below. */
const keptMs = 45_000;
const sweepEveryMs = 10_000;
/** The clock of the cache is read this often at most: each reading sets a timer. */
const clockEveryMs = 1_000;
/** Longer sealed texts are opened each time: hashing them as a name would cost much of what opening them costs. */
const rememberedMax = 2_048;
/** Most keys in memory, each some 200 bytes. */
const keysMax = 50_000;

/** The keys of the process, read from their table in batches, and kept for less than a minute. */
export class KeyRing {
  /** Null for a destroyed key. */
  private readonly kept = new LRUCache<KeyId, { readonly key: Buffer | null }>({
    max: keysMax,
    ttl: keptMs,
    ttlResolution: clockEveryMs,
  });
  private readonly opened = new OpenedTexts();
  private readonly sweep = setInterval(() => this.sweepMemory(), sweepEveryMs).unref();

  constructor(private readonly store: KeyStore) {}

  /** Returns the key if it is in memory; null for a destroyed one; undefined if it has to be read. */
  peek(id: KeyId): Buffer | null | undefined {
    return this.kept.get(id)?.key;
  }

  /** Returns keys, null for those that are destroyed; an id without a key is absent. One read at most. Throws Unavailable. */
  async keysOf(ids: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Buffer | null>> {
    const found = new Map<KeyId, Buffer | null>();
    const missing: KeyId[] = [];
    for (const id of new Set(ids)) {
      const key = this.peek(id);
      if (key === undefined) missing.push(id);
      else found.set(id, key);
    }
    if (missing.length === 0) return found;
    for (const [id, key] of await this.store.read(missing)) found.set(id, this.keep(id, key));
    return found;
  }

  /** Returns the key to seal with, which is made if there is none. Throws KeyDestroyed, Unavailable. */
  async keyOf(sealedFor: SealedFor): Promise<Buffer> {
    const { keyId } = sealedFor;
    const known = this.peek(keyId);
    const key = known === undefined ? this.keep(keyId, await this.store.make(sealedFor)) : known;
    if (key === null) throw new KeyDestroyed(keyId);
    return key;
  }

  /**
   * Opens a value. A short text that was opened is kept until the next sweep.
   * @param key of the key id in its place, as this ring returned it just now: what is kept is returned for a destroyed key too
   * @throws Error when it does not open
   */
  open(key: Buffer, sealed: Sealed): JsonValue {
    // Reason for the assertion: `sealValue` encrypts JSON.
    return JSON.parse(this.plainOf(key, sealed)) as JsonValue;
  }

  /** Returns a text that was remembered since the last sweep, unless its key was forgotten. */
  recall(keyId: KeyId, name: string): string | undefined {
    return this.peek(keyId) == null ? undefined : this.opened.get(`${keyId} ${name}`);
  }

  /** Keeps a text with words of this key until the next sweep. */
  remember(keyId: KeyId, name: string, text: string): void {
    if (this.peek(keyId) != null) this.opened.set(`${keyId} ${name}`, keyId, text);
  }

  /** Forgets keys that were destroyed, and what they opened. */
  forget(ids: readonly KeyId[]): void {
    for (const id of ids) this.kept.delete(id);
    this.opened.forget(ids);
  }

  /** Forgets all keys, of which some may have been destroyed unnoticed. */
  forgetAll(): void {
    this.kept.clear();
    this.opened.clear();
  }

  close(): void {
    clearInterval(this.sweep);
    this.forgetAll();
  }

  private plainOf(key: Buffer, sealed: Sealed): string {
    if (sealed.sealed.length > rememberedMax) return plainText(key, sealed);
    const known = this.opened.get(sealed.sealed);
    if (known !== undefined) return known;
    const plain = plainText(key, sealed);
    // Reason for the assertion: a sealed text names the key that it was sealed under.
    this.opened.set(sealed.sealed, placeOf(sealed).keyId as KeyId, plain);
    return plain;
  }

  private sweepMemory(): void {
    this.kept.purgeStale();
    // Cheaper than a time for each text, and what is read often is back after one opening.
    this.opened.clear();
  }

  private keep(id: KeyId, key: Buffer | null): Buffer | null {
    this.kept.set(id, { key });
    return key;
  }
}
