import type { JsonValue } from '@app/kernel';
import fc from 'fast-check';
import { placesIn, type Place } from './json-places';

/** Replacements for a part of a valid value: values of every JSON type, at and beyond common bounds. */
const replacements: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  60,
  1001,
  86_401,
  2_678_401,
  1e21,
  '',
  'x',
  '0',
  '01',
  '1.50',
  'ä',
  ' ',
  'a b',
  '\0',
  '-',
  '1',
  'true',
  'x'.repeat(121),
  'x'.repeat(8193),
  '2026-03-01',
  '2026-03-01T10:00:00Z',
  '2026-03-01T10:00:00.1234567890Z',
  '2026-02-30T10:00:00Z',
  'nep141:a',
  '/a~2',
  '2026-03-01T10:00:00.1234Z',
  '2026-03-01T10:00:00+01:00',
  '2026-03-01T10:00:00',
  '2026-03-01T10:00:00+24:00',
  [],
  {},
  [null],
  [[]],
  { kind: 'x' },
  { value: null },
];

/**
 * Returns JSON values with one change in one place: a member or item removed, added, doubled, or replaced by a value of
 * any kind.
 */
export function mutationsOf(values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  const changes = fc.oneof(
    { arbitrary: fc.constantFrom<Change>('remove', 'add', 'double'), weight: 2 },
    { arbitrary: fc.constantFrom(...replacements).map((value): Change => ({ value })), weight: 3 },
  );
  return fc.tuple(values, fc.nat(), changes).map(([value, place, change]) => {
    const places: readonly Place[] = [[], ...placesIn(value)];
    return changedAt(value, places[place % places.length] ?? [], change);
  });
}

type Change = 'remove' | 'add' | 'double' | { readonly value: JsonValue };

function changedAt(value: JsonValue, place: Place, change: Change): JsonValue {
  const [first, ...rest] = place;
  if (first === undefined) return changed(value, change);
  if (typeof value !== 'object' || value === null) return value;
  const isLast = rest.length === 0;
  if (isList(value)) {
    const index = Number(first);
    if (isLast && change === 'remove') return value.toSpliced(index, 1);
    if (isLast && change === 'double') return value.toSpliced(index, 0, value[index] ?? null);
    return value.map((item, at) => (at === index ? changedAt(item, rest, change) : item));
  }
  const entries = Object.entries(value);
  const kept = isLast && change === 'remove' ? entries.filter(([key]) => key !== first) : entries;
  return Object.fromEntries(kept.map(([key, item]) => [key, key === first ? changedAt(item, rest, change) : item]));
}

function changed(value: JsonValue, change: Change): JsonValue {
  if (change === 'remove' || change === 'double') return value;
  if (change !== 'add') return change.value;
  if (typeof value !== 'object' || value === null) return [value];
  return isList(value) ? [...value, null] : { ...value, unheardOf: 1 };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
