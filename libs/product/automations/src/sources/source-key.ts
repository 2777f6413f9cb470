import { asId, type Instant, type JsonObject, type UserId } from '@app/kernel';
import type { Timer } from '@app/timers';
import type { SampledSource, StoredCondition } from '../condition/condition';

/** The kind of timers that sample sources, and the prefix of their ids. */
export const sourceTimers = 'source';

/** A sampled source, shared by all rules that read it. A balance belongs to its owner; a price is shared by all users. */
export interface SourceInUse {
  readonly source: SampledSource;
  /** The owner of a balance; null for a price. */
  readonly userId: UserId | null;
}

/** The key of a source in the whole deployment. It never leaves the service: the API's source ids contain no user. */
export function keyOf({ source, userId }: SourceInUse): string {
  return userId === null ? `${source.kind}:${source.tokenId}` : `${source.kind}:${userId}:${source.tokenId}`;
}

/** The key parts of a user's source. */
export function sourceOf(source: SampledSource, userId: UserId): SourceInUse {
  return { source, userId: source.kind === 'wallet_balance' ? userId : null };
}

/** Every source that the condition samples, each once. */
export function sourcesIn(condition: StoredCondition | null, userId: UserId): readonly SourceInUse[] {
  const byKey = new Map<string, SourceInUse>();
  for (const { source } of condition?.bindings ?? []) {
    if (source.kind === 'event') continue;
    const used = sourceOf(source, userId);
    byKey.set(keyOf(used), used);
  }
  return [...byKey.values()];
}

/** The id of the timer that samples a source. */
export function sourceTimerId(used: SourceInUse): string {
  return `${sourceTimers}/${keyOf(used)}`;
}

/**
 * The timer that samples a source.
 * @param keepUntil sampling continues until then without checking that a rule uses the source, because its rule is
 * being defined
 */
export function sourceTimer(used: SourceInUse, dueAt: Instant, keepUntil: string): Timer {
  const { source, userId } = used;
  const payload = { kind: source.kind, tokenId: source.tokenId, userId, keepUntil };
  return { id: sourceTimerId(used), kind: sourceTimers, dueAt, payload };
}

/** Parses the source of a timer. @throws TypeError for a payload that names no source */
export function readSource({ kind, tokenId, userId }: JsonObject): SourceInUse {
  if (typeof tokenId !== 'string') throw new TypeError('the timer names no source');
  if (kind === 'token_price') return { source: { kind, tokenId }, userId: null };
  if (kind === 'wallet_balance' && typeof userId === 'string') {
    return { source: { kind, tokenId }, userId: asId<UserId>(userId) };
  }
  throw new TypeError('the timer names no source');
}
