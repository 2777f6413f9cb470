export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** Whether a value is an object in the sense of JSON: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON pointer to a member or item, its names and indexes from the root on escaped as in RFC 6901. */
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

/** Bounds of "arbitrary JSON" (decisions.md, section 1, "Bodies"). */
const arbitraryBytesMax = 16 * 1024;
const arbitraryLevelsMax = 8;
const arbitraryEntriesMax = 256;

/**
 * Whether a value keeps the limits of arbitrary JSON: 16 KiB of UTF-8 as serialized, 8 levels of objects and arrays, 256 entries
 * (members of objects and items of arrays together).
 */
export function isBoundedJson(value: JsonValue): boolean {
  let entries = 0;
  const fits = (part: JsonValue, level: number): boolean => {
    if (typeof part !== 'object' || part === null) return true;
    if (level > arbitraryLevelsMax) return false;
    const items: readonly JsonValue[] = Object.values(part);
    entries += items.length;
    return entries <= arbitraryEntriesMax && items.every((item) => fits(item, level + 1));
  };
  return fits(value, 1) && new TextEncoder().encode(JSON.stringify(value)).length <= arbitraryBytesMax;
}
