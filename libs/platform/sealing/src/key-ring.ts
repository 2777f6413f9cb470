import { LRUCache } from 'lru-cache';
import type { JsonValue, Sealed } from '@app/kernel';
import { KeyDestroyed, type KeyId, type KeyStore, type SealedFor } from './key-store';
import { OpenedValues } from './opened-values';

/** A process forgets a key at most this long after it was read (docs/decisions/personal-data.md): after a minute, with the sweep below. */
const keptMs = 45_000;
const sweepEveryMs = 10_000;
/** Most keys in memory, each some 200 bytes. */
const keysMax = 50_000;

/** The keys of the process, read from their table in batches, and kept for less than a minute. */
export class KeyRing {
  /** Null for a destroyed key. */
  private readonly kept = new LRUCache<KeyId, { readonly key: Buffer | null }>({ max: keysMax, ttl: keptMs });
  private readonly opened = new OpenedValues(keptMs);
  private readonly sweep = setInterval(() => this.purgeStale(), sweepEveryMs).unref();

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
   * Opens a value. What was opened last is kept, no longer than keys are.
   * @param key of the key id in its place, as this ring returned it just now: what is kept is returned for a destroyed key too
   * @throws Error when it does not open
   */
  open(key: Buffer, sealed: Sealed): JsonValue {
    return this.opened.open(key, sealed);
  }

  /** Forgets keys that were destroyed, and what they opened. */
  forget(ids: readonly KeyId[]): void {
    for (const id of ids) this.kept.delete(id);
    this.opened.forget(new Set(ids));
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

  private purgeStale(): void {
    this.kept.purgeStale();
    this.opened.sweep();
  }

  private keep(id: KeyId, key: Buffer | null): Buffer | null {
    this.kept.set(id, { key });
    return key;
  }
}
