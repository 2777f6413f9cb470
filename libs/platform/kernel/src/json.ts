import { limits } from './limits';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** Whether a value is an object in the sense of JSON: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a list; of JSON, each of its items is JSON too. */
export function isJsonList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Parses JSON; undefined for any other text. For texts that no message may quote, as the error of `JSON.parse` does. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    // Reason for the assertion: JSON.parse returns nothing but JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The JSON pointer to a member or item, from names and indexes starting at the root, escaped as in RFC 6901. */
export function pointerTo(...tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The number of Unicode code points of a text; the unit of every length in the specification. A lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let surrogatePairs = 0;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (!isBetween(text.charCodeAt(index), 0xd800, 0xdbff)) continue;
    if (!isBetween(text.charCodeAt(index + 1), 0xdc00, 0xdfff)) continue;
    surrogatePairs += 1;
    index += 1;
  }
  return text.length - surrogatePairs;
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}

/** Bounds of "arbitrary JSON" (docs/decisions/conventions.md, "Bodies"). */
const arbitraryBytesMax = 16 * 1024;
const arbitraryLevelsMax = 8;
const arbitraryEntriesMax = 256;

/**
 * Whether a value is JSON within the limits of arbitrary JSON: 16 KiB of UTF-8 as serialized, 8 levels of objects and arrays, 256 entries
 * (members of objects and items of arrays together). Visits nothing beyond the limits of levels and entries.
 */
export function isBoundedJson(value: unknown): value is JsonValue {
  let entries = 0;
  const fits = (part: unknown, level: number): boolean => {
    if (part === null || typeof part === 'string' || typeof part === 'boolean') return true;
    // JSON.parse turns 1e999 into infinity, which JSON cannot represent.
    if (typeof part === 'number') return Number.isFinite(part);
    if (level > arbitraryLevelsMax || !(Array.isArray(part) || isJsonObject(part))) return false;
    const items: readonly unknown[] = Object.values(part);
    entries += items.length;
    return entries <= arbitraryEntriesMax && items.every((item) => fits(item, level + 1));
  };
  return fits(value, 1) && new TextEncoder().encode(JSON.stringify(value)).length <= arbitraryBytesMax;
}

const unstorable = /[\0\p{Surrogate}]/u;

/** Whether a value can be stored as it is: not too deeply nested, and all of its text acceptable to every store. */
export function isStorable(value: JsonValue, above = 0): boolean {
  if (typeof value === 'string') return !unstorable.test(value);
  if (value === null || typeof value !== 'object') return true;
  if (above >= limits.jsonDepthMax) return false;
  if (isJsonList(value)) return value.every((item) => isStorable(item, above + 1));
  return Object.keys(value).every((name) => !unstorable.test(name) && isStorable(value[name] ?? null, above + 1));
}
