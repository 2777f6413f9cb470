import { isJsonObject, type JsonValue } from '@app/kernel';

/** "Arbitrary JSON" (decisions.md, section 1, "Bodies"; specification, "Limits"). */
const bounds = { bytesMax: 16 * 1024, levelsMax: 8, entriesMax: 256 } as const;

export const arbitraryJsonRule = 'must be JSON of at most 16 KiB, 8 levels and 256 entries';

/**
 * Whether a value is JSON within the bounds for what a user may send as it pleases: 16 KiB of UTF-8 as serialized, 8 levels (of `{}`
 * and `[1]`: 1), 256 members and items together. Looks no deeper and no further than the bounds.
 */
export function isArbitraryJson(value: unknown): value is JsonValue {
  const entries = entriesIn(value, bounds.levelsMax, bounds.entriesMax);
  return entries !== null && Buffer.byteLength(JSON.stringify(value), 'utf8') <= bounds.bytesMax;
}

/** How many members and items there are, at all levels; null for what is no JSON, has more entries or more levels. */
function entriesIn(value: unknown, levelsLeft: number, entriesLeft: number): number | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return 0;
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : null;
  if (levelsLeft === 0 || !(Array.isArray(value) || isJsonObject(value))) return null;
  const members: readonly unknown[] = Object.values(value);
  if (members.length > entriesLeft) return null;
  let entries = members.length;
  for (const member of members) {
    const below = entriesIn(member, levelsLeft - 1, entriesLeft - entries);
    if (below === null) return null;
    entries += below;
  }
  return entries;
}
