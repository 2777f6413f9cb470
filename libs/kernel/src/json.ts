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
