import type { JsonValue } from '@app/kernel';
import { textOf } from '@app/transparency';

/** Half of a surrogate pair, written as an escape. UTF-8 has no other form of it. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;
const surrogate = /\p{Surrogate}/u;

/**
 * Levels of lists and objects: far more than any receipt has, since inputs of tools have at most `limits.jsonDepthMax`, and few enough for
 * every parser (docs/audit.md, "Write your own verifier").
 */
export const receiptDepthMax = 128;

/**
 * Parses JSON as every parser reads it: `JSON.parse` keeps the last of two members of one name, while others keep the first. Takes a time
 * that grows with the length. Throws SyntaxError for a text that is no JSON, is nested too deeply, has a member twice, or half of a
 * surrogate pair.
 */
export function parseExactJson(text: string): JsonValue {
  const value = parsed(text);
  const { colons, depth } = shapeOf(text);
  if (depth > receiptDepthMax) throw new SyntaxError(`is nested over ${receiptDepthMax} levels`);
  const mayHaveSurrogates = surrogateEscape.test(text) || surrogate.test(text);
  let members = 0;
  const rest: JsonValue[] = [value];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (typeof part === 'string' && mayHaveSurrogates) refuseSurrogate(part);
    if (typeof part !== 'object' || part === null) continue;
    const names = Array.isArray(part) ? [] : Object.keys(part);
    members += names.length;
    if (mayHaveSurrogates) names.forEach(refuseSurrogate);
    for (const item of Object.values<JsonValue>(part)) rest.push(item);
  }
  // A member that is repeated is in the text, and not in the value.
  if (members !== colons) throw new SyntaxError('has a member twice');
  return value;
}

/** Parses bytes as `parseExactJson` does their text; returns what it would throw. */
export function exactJsonIn(bytes: Uint8Array): JsonValue | SyntaxError {
  try {
    return parseExactJson(textOf(bytes) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

function parsed(text: string): JsonValue {
  try {
    // Reason for the assertion: JSON.parse returns such values.
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new SyntaxError('is no JSON'); // the parser's own message quotes the text
  }
}

function refuseSurrogate(text: string): void {
  if (surrogate.test(text)) throw new SyntaxError('has half of a surrogate pair');
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [beginList, endList, beginObject, endObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts what is outside of texts in JSON: colons, one for each member, and the levels of lists and objects. */
function shapeOf(json: string): { readonly colons: number; readonly depth: number } {
  let [colons, level, depth] = [0, 0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === colon) colons += 1;
    else if (code === beginList || code === beginObject) depth = Math.max(depth, (level += 1));
    else if (code === endList || code === endObject) level -= 1;
    if (code !== quote) continue;
    for (at += 1; json.charCodeAt(at) !== quote; at += 1) if (json.charCodeAt(at) === backslash) at += 1;
  }
  return { colons, depth };
}
