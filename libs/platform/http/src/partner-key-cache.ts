import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { GroupLoader } from '@app/runtime';
import { partnerKeyForm, type KnownPartnerKey, type PartnerKeys } from './ports';

/**
 * How long an answer is believed. A stream that was opened by a key on the last of it still ends within 30 s of the revocation
 * (specification, "Authentication", rule 4; docs/decisions/journal.md).
 */
const keptMs = 10_000;
/** Keys of either kind that are remembered, by number, for each is a digest, an id and a right; wrong ones push out no good ones. */
const keysKeptMax = 10_000;
/** What one statement looks up at most, and how many wait. */
const bounds = { batchMax: 500, waitingMax: 1_000 };
/** Keys that come from an address with many failures are looked up together, at most so often. */
const suspectsEveryMs = 50;

/** Finds partner keys, remembering them for a short while. Only digests are kept. */
export class PartnerKeyCache {
  private readonly good = new LRUCache<string, KnownPartnerKey>({ max: keysKeptMax, ttl: keptMs });
  private readonly unknown = new LRUCache<string, true>({ max: keysKeptMax, ttl: keptMs });
  private readonly lookUps = new Map<string, Promise<KnownPartnerKey | null>>();
  private readonly loader = new GroupLoader((digests: readonly string[]) => this.ask(digests), bounds);
  private readonly suspects = new GroupLoader(async (digests: readonly string[]) => {
    await sleep(suspectsEveryMs);
    return this.ask(digests);
  }, bounds);

  /** Keys that were revoked here lately: what was asked of them before is answered no more. */
  private readonly revoked = new LRUCache<string, true>({ max: keysKeptMax, ttl: keptMs });

  constructor(private readonly keys: PartnerKeys) {
    keys.onRevoked((keyId) => {
      this.revoked.set(keyId, true);
      for (const [digest, known] of this.good.entries()) if (known.keyId === keyId) this.good.delete(digest);
    });
  }

  /**
   * What is known of a key, without waiting when it is remembered; null when it is unknown or revoked.
   * @param suspect it comes from where many wrong ones came from: a good one is found all the same, a little later
   * @throws Unavailable
   */
  find(key: string, suspect: () => boolean): KnownPartnerKey | null | Promise<KnownPartnerKey | null> {
    // What cannot be a key is not worth a look-up.
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
    // The answer is as old as the question.
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
