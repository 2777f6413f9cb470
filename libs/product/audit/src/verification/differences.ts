import type { LogEntry } from '@app/transparency';
import type { Unmatched } from './alignment';
import { textOfHash, type Leaf } from './leaf';

/** The parts of an event that its entry distinguishes. */
export type Part = 'id' | 'type' | 'data' | 'metadata';

/** A difference in one event, named by stream and revision as the log has them; for an added one, by its own. */
export type Difference =
  | { readonly kind: 'altered'; readonly stream: string; readonly revision: number; readonly parts: readonly Part[] }
  | { readonly kind: 'removed' | 'added'; readonly stream: string; readonly revision: number }
  | {
      readonly kind: 'moved';
      readonly stream: string;
      readonly revision: number;
      /** Its place now; the same place if only its position in the order of all events changed. */
      readonly to: { readonly stream: string; readonly revision: number };
      readonly parts: readonly Part[];
    }
  /** The log keeps a leaf that names no event. */
  | { readonly kind: 'unreadable'; readonly index: number };

/** The differences, and the number of stored events after everything that the log covers. */
export interface Differences {
  readonly differences: readonly Difference[];
  readonly later: number;
}

type Keyed = (leaf: Leaf) => string | null;
type Pair = readonly [kept: Leaf, stored: Leaf];

const byPlace: Keyed = ({ entry }) => entry && `${entry.revision} ${entry.stream}`;
/** The strongest identity first: the hash, the id, then the place, which another event may occupy. */
const keys: readonly Keyed[] = [({ hash }) => textOfHash(hash), ({ entry }) => entry && entry.id, byPlace];

/**
 * Derives what happened to the events from the unmatched leaves of both sides.
 * @param coveredUpTo the position that the log says it has reached; null if it does not say
 */
export function differencesIn(unmatched: Unmatched, coveredUpTo: number | null): Differences {
  const { pairs, kept, stored } = paired(unmatched);
  const lastPaired = Math.max(0, ...pairs.filter(isInPlace).map(([, { at }]) => at));
  const coveredTo = Math.max(unmatched.lastMatched, coveredUpTo ?? lastPaired);
  const added = stored.filter(({ at }) => at <= coveredTo);
  const differences = [
    ...pairs.map(([one, other]) => ({ at: one.at, difference: between(one, other) })),
    ...kept.map((leaf) => ({ at: leaf.at, difference: alone('removed', leaf) })),
    ...added.map((leaf) => ({ at: Infinity, difference: alone('added', leaf) })),
  ];
  return {
    differences: differences.sort(byIndex).map(({ difference }) => difference),
    later: unmatched.later + stored.length - added.length,
  };
}

function byIndex(one: { readonly at: number }, other: { readonly at: number }): number {
  return one.at === other.at ? 0 : one.at - other.at;
}

const isInPlace = ([kept, stored]: Pair): boolean => byPlace(kept) === byPlace(stored);

function paired({ kept, stored }: Unmatched): { pairs: Pair[]; kept: Leaf[]; stored: Leaf[] } {
  const pairs: Pair[] = [];
  let [ofLog, ofStore] = [[...kept], [...stored]];
  for (const key of keys) {
    const wanted = new Map(ofLog.map((leaf) => [key(leaf) ?? leaf, leaf]));
    const found = new Set<Leaf>();
    for (const leaf of ofStore) {
      const text = key(leaf);
      const one = text === null ? undefined : wanted.get(text);
      if (text === null || one === undefined) continue;
      pairs.push([one, leaf]);
      wanted.delete(text);
      found.add(one).add(leaf);
    }
    ofLog = ofLog.filter((leaf) => !found.has(leaf));
    ofStore = ofStore.filter((leaf) => !found.has(leaf));
  }
  return { pairs, kept: ofLog, stored: ofStore };
}

function between(kept: Leaf, stored: Leaf): Difference {
  const [is, was] = [stored.entry, kept.entry ?? stored.entry];
  if (is === null || was === null) return alone('removed', kept);
  const { stream, revision } = was;
  const parts = unlikeParts(was, is);
  const to = { stream: is.stream, revision: is.revision };
  if (parts.length > 0 && isInPlace([kept, stored])) return { kind: 'altered', stream, revision, parts };
  return { kind: 'moved', stream, revision, to, parts };
}

function unlikeParts(one: LogEntry, other: LogEntry): Part[] {
  const parts: Part[] = [];
  if (one.id !== other.id) parts.push('id');
  if (one.type !== other.type) parts.push('type');
  if (one.dataSha256 !== other.dataSha256) parts.push('data');
  if (one.metadataSha256 !== other.metadataSha256) parts.push('metadata');
  return parts;
}

function alone(kind: 'removed' | 'added', { entry, at }: Leaf): Difference {
  if (entry === null) return { kind: 'unreadable', index: at };
  const { stream, revision } = entry;
  return { kind, stream, revision };
}
