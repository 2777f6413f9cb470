import { hash } from 'node:crypto';
import { Unavailable, type PartnerKeyId } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import type { PartnerKeys } from './ports';

/** Specification, "Authentication", rule 4: a revocation reaches every replica within 30 s. */
const keptMs = 25_000;
const keysKeptMax = 10_000;
const lookupsMax = 1_000;

/** Finds partner keys, remembering good ones for a short while. Only digests are kept. */
export class PartnerKeyCache {
  private readonly known = new LRUCache<string, PartnerKeyId>({ max: keysKeptMax, ttl: keptMs });
  private readonly lookups = new Map<string, Promise<PartnerKeyId | null>>();

  constructor(private readonly keys: PartnerKeys) {}

  /** The id of a key, without waiting when it is remembered; null when it is unknown or revoked. @throws Unavailable */
  find(key: string): PartnerKeyId | null | Promise<PartnerKeyId | null> {
    const digest = hash('sha256', key);
    return this.known.get(digest) ?? this.lookups.get(digest) ?? this.lookUp(digest);
  }

  private lookUp(digest: string): Promise<PartnerKeyId | null> {
    if (this.lookups.size >= lookupsMax) throw new Unavailable('database');
    const askedAtMs = performance.now();
    const lookup = this.keys
      .find(digest)
      .then((found) => {
        // The answer is as old as the question. A missing key is not remembered: it may be minted the next moment.
        if (found !== null) this.known.set(digest, found.keyId, { start: askedAtMs });
        return found?.keyId ?? null;
      })
      .finally(() => this.lookups.delete(digest));
    this.lookups.set(digest, lookup);
    return lookup;
  }
}
