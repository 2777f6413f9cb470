import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { GroupLoader } from '@app/runtime';
import { partnerKeyForm, type KnownPartnerKey, type PartnerKeys } from '../ports';

/**
 * How long an answer is cached. A stream that a key opened in the last moment of this time still ends within 30 s of the revocation
 * (specification, "Authentication", rule 4; docs/decisions/journal.md).
 */
const keptMs = 10_000;
/**
 * Maximum number of cached keys, good and wrong ones separately, so that wrong ones displace no good ones. Each is a digest, an id and a
 * right.
 */
const keysKeptMax = 10_000;
/** Limits: the keys of one statement, and the keys that may wait for one. */
const bounds = { batchMax: 500, waitingMax: 1_000 };
/** Keys from an address with many failures are queried together, at most this often. */
const suspectsEveryMs = 50;

/** Finds partner keys, and caches them for a short while. Only digests are kept. */
export class PartnerKeyCache {
  private readonly good = new LRUCache<string, KnownPartnerKey>({ max: keysKeptMax, ttl: keptMs });
  private readonly unknown = new LRUCache<string, true>({ max: keysKeptMax, ttl: keptMs });
  private readonly lookUps = new Map<string, Promise<KnownPartnerKey | null>>();
  private readonly loader = new GroupLoader((digests: readonly string[]) => this.ask(digests), bounds);
  private readonly suspects = new GroupLoader(async (digests: readonly string[]) => {
    await sleep(suspectsEveryMs);
    return this.ask(digests);
  }, bounds);

  /** Keys that this process has revoked lately: answers to earlier lookups of them are discarded. */
  private readonly revoked = new LRUCache<string, true>({ max: keysKeptMax, ttl: keptMs });

  constructor(private readonly keys: PartnerKeys) {
    keys.onRevoked((keyId) => {
      this.revoked.set(keyId, true);
      for (const [digest, known] of this.good.entries()) if (known.keyId === keyId) this.good.delete(digest);
    });
  }

  /**
   * Finds a key, without waiting if it is cached; null if it is unknown or revoked.
   * @param suspect whether many wrong keys came from the same address: a good one is still found, a little later
   * @throws Unavailable
   */
  find(key: string, suspect: () => boolean): KnownPartnerKey | null | Promise<KnownPartnerKey | null> {
    // A text that cannot be a key is not queried.
    if (!partnerKeyForm.test(key)) return null;
    const digest = hash('sha256', key);
    const known = this.good.get(digest);
    if (known !== undefined) return known;
    return this.unknown.has(digest) ? null : (this.lookUps.get(digest) ?? this.lookUp(digest, suspect()));
  }

  private lookUp(digest: string, suspect: boolean): Promise<KnownPartnerKey | null> {
    const lookUp = (suspect ? this.suspects : this.loader).load(digest).finally(() => this.lookUps.delete(digest));
    this.lookUps.set(digest, lookUp);
    return lookUp;
  }

  private async ask(digests: readonly string[]): Promise<readonly (KnownPartnerKey | null)[]> {
    // The age of an answer counts from its query.
    const start = performance.now();
    const found = await this.keys.findMany(digests);
    return digests.map((digest) => {
      const answered = found.get(digest);
      const known = answered !== undefined && this.revoked.has(answered.keyId) ? undefined : answered;
      if (known === undefined) this.unknown.set(digest, true, { start });
      else this.good.set(digest, known, { start });
      return known ?? null;
    });
  }
}
