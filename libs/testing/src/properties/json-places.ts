import { isJsonObject, type JsonValue } from '@app/kernel';

/** The position of a value: the names and indexes that lead to it. */
export type Place = readonly (string | number)[];

/** Returns a value as JSON carries it. */
export function jsonOf(value: unknown): JsonValue {
  // Reason for the assertion: the result of JSON.parse is JSON.
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

const membersIn = (value: JsonValue): readonly (readonly [string | number, JsonValue])[] =>
  Array.isArray(value)
    ? value.map((item: JsonValue, index) => [index, item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];

/** Returns the places of all values below the root, including whole objects and lists. */
export function placesIn(value: JsonValue): Place[] {
  return membersIn(value).flatMap(([name, member]) => [[name], ...placesIn(member).map((place) => [name, ...place])]);
}

/** Returns the value at a place that the document has. */
export function valueAt(value: JsonValue, place: Place): JsonValue {
  // Reason for the assertion: the document has the place.
  return place.reduce<JsonValue>((inner, name) => new Map(membersIn(inner)).get(name)!, value);
}

/** Returns the document with another value at a place that it has. */
export function replaced(value: JsonValue, [name, ...deeper]: Place, by: JsonValue): JsonValue {
  const members = membersIn(value).map(
    ([at, member]) => [at, at !== name ? member : deeper.length === 0 ? by : replaced(member, deeper, by)] as const,
  );
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** Returns the value with the smallest change: one character, one unit, one item more or less. */
export function otherThan(value: JsonValue, step: number): JsonValue {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 52 ? value + 1 : value / 2;
  if (typeof value === 'string') return changedText(value, step);
  if (value === null) return false;
  if (Array.isArray(value)) return step % 2 === 0 && value.length > 0 ? value.slice(1) : [...value, null];
  const [first, ...others] = Object.entries(value);
  return step % 2 === 0 && first !== undefined ? Object.fromEntries(others) : { ...value, 'another member': null };
}

function changedText(text: string, step: number): string {
  const at = text.length === 0 ? 0 : step % text.length;
  const by = text.charAt(at) === '1' ? '2' : '1';
  const changes = [
    `${text} `,
    text.slice(0, at) + by + text.slice(at + 1),
    `${text}0`,
    text.slice(0, at) + by + text.slice(at),
  ];
  // Reason for the assertion: there are four.
  return changes[step % 4]!;
}
