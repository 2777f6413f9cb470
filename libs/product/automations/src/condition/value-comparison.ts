import { type JsonObject, type JsonValue, unreachable } from '@app/kernel';
import type { CompareOp } from './condition';
import { compareExactly, exactNumberOf, type ExactNumber } from './exact-numbers';

/** A value, and the number that it is or spells; null where neither. */
export interface Comparable {
  readonly value: JsonValue;
  readonly number: ExactNumber | null;
}

/** Prepares a value for any number of comparisons. Takes as many steps as its text has characters. */
export function comparable(value: JsonValue): Comparable {
  return { value, number: typeof value === 'number' || typeof value === 'string' ? exactNumberOf(value) : null };
}

/**
 * Whether `left op right` holds; null where the two cannot be compared that way (docs/decisions/automations.md,
 * "Node"):
 *
 * - numbers, and texts that are spelled as decimals, compare exactly as decimals;
 * - other texts compare with texts, by UTF-16 code units; a decimal and another text are unequal and have no order;
 * - true, false, null, lists and objects can be equal to values of their kind, and have no order; within lists and
 * objects, texts are equal only if spelled alike;
 * - a text contains another text, a list contains a value that is equal to one of its items;
 * - all other pairs cannot be compared.
 *
 * Takes at most as many steps as the two have characters and entries together.
 */
export function compareValues(left: Comparable, op: CompareOp, right: Comparable): boolean | null {
  if (op === 'contains') return containment(left.value, right);
  if (op === 'eq' || op === 'ne') {
    const equal = equality(left, right);
    return equal === null ? null : equal === (op === 'eq');
  }
  const order = orderOf(left, right);
  return order === null ? null : inOrder(op, order);
}

function inOrder(op: 'lt' | 'lte' | 'gt' | 'gte', order: number): boolean {
  switch (op) {
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    default:
      return unreachable(op);
  }
}

function equality(one: Comparable, other: Comparable): boolean | null {
  if (one.number !== null && other.number !== null) return compareExactly(one.number, other.number) === 0;
  return kindOfValue(one.value) === kindOfValue(other.value) ? sameJson(one.value, other.value) : null;
}

function orderOf(one: Comparable, other: Comparable): number | null {
  if (one.number !== null && other.number !== null) return compareExactly(one.number, other.number);
  // A decimal and another text have no order: it would depend on the decimal's spelling here and on its value
  // elsewhere.
  if (one.number !== null || other.number !== null) return null;
  if (typeof one.value !== 'string' || typeof other.value !== 'string') return null;
  if (one.value === other.value) return 0;
  return one.value < other.value ? -1 : 1;
}

function containment(left: JsonValue, { value: sought, number }: Comparable): boolean | null {
  if (typeof left === 'string') return typeof sought === 'string' ? occursIn(left, sought) : null;
  if (!isList(left)) return null;
  // Only a number can be equal to a value that is spelled differently.
  if (number === null) return left.some((item) => kindOfValue(item) === kindOfValue(sought) && sameJson(item, sought));
  return left.some((item) => equality(comparable(item), { value: sought, number }) === true);
}

/**
 * Whether a text occurs in another, by Knuth, Morris and Pratt: in as many steps as both have characters together. The
 * engine's own search can take their product, and rules and events are untrusted.
 */
function occursIn(text: string, sought: string): boolean {
  if (sought.length > text.length) return false;
  const borders = bordersOf(sought);
  let matched = 0;
  for (let index = 0; index < text.length && matched < sought.length; index += 1)
    matched = extendMatch(sought, borders, matched, text.charCodeAt(index));
  return matched === sought.length;
}

/** For each length of a beginning of the text, the length of the longest shorter beginning that also ends it. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length + 1);
  let matched = 0;
  for (let index = 1; index < text.length; index += 1) {
    matched = extendMatch(text, borders, matched, text.charCodeAt(index));
    borders[index + 1] = matched;
  }
  return borders;
}

/** The matched length of the sought text after one more character. */
function extendMatch(sought: string, borders: Uint32Array, matched: number, character: number): number {
  let length = matched;
  while (length > 0 && sought.charCodeAt(length) !== character) length = borders[length] ?? 0;
  return sought.charCodeAt(length) === character ? length + 1 : 0;
}

/** Equal as JSON: members in any order, texts by their spelling. */
function sameJson(one: JsonValue, other: JsonValue): boolean {
  if (isList(one))
    return isList(other) && one.length === other.length && one.every((item, at) => sameMember(item, other[at]));
  if (typeof one !== 'object' || one === null) return one === other;
  if (typeof other !== 'object' || other === null || isList(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => sameMember(one[name], own(other, name)));
}

function sameMember(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one !== undefined && other !== undefined && sameJson(one, other);
}

/** Own members only, never inherited ones such as `constructor`. */
function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function kindOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
