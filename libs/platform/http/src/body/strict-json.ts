import { isUtf8 } from 'node:buffer';
import { invalid, limits, ok, pointerTo, refuse, type Issue, type JsonValue, type Result } from '@app/kernel';
import { visit, type JSONPath } from 'jsonc-parser';
import { isHeldExactly } from './exact-number';

/**
 * Parses I-JSON (RFC 7493) as docs/decisions/conventions.md, "Bodies", narrows it: at most 32 levels, no duplicate member, no `__proto__`,
 * no U+0000, no lone surrogate, and no number that a double does not hold exactly as spelled. One leading byte order mark is skipped. Every
 * part that breaks a rule yields an issue at its JSON pointer; bytes that are not JSON at all yield one at the root.
 */
export function parseStrictJson(bytes: Buffer): Result<JsonValue> {
  if (!isUtf8(bytes)) return refuse(invalid('', 'is not valid UTF-8'));
  const text = (startsWithMark(bytes) ? bytes.subarray(byteOrderMark.length) : bytes).toString('utf8');
  // Before anything recursive processes the text.
  const shape = scan(text);
  if (shape.depth > limits.jsonDepthMax) return refuse(invalid('', `is nested over ${limits.jsonDepthMax} levels`));
  let value: JsonValue;
  try {
    // Reason for the assertion: JSON.parse returns such values.
    value = JSON.parse(text) as JsonValue;
  } catch {
    // The parser's message quotes the body, so it is left out.
    return refuse(invalid('', 'is not JSON'));
  }
  if (!shape.suspect && countMembers(value) === shape.members) return ok(value);
  const issues = findIssues(text);
  return issues.length === 0 ? ok(value) : refuse({ kind: 'invalid_input', issues });
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

function startsWithMark(bytes: Buffer): boolean {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
}

interface Shape {
  /** The deepest nesting of objects and arrays; an upper bound for texts that are not JSON. */
  readonly depth: number;
  /** The number of colons outside strings: the number of members in the text, duplicates included. */
  readonly members: number;
  /** Whether the text can break a rule other than the one against duplicates. */
  readonly suspect: boolean;
}

/** A double holds any decimal of up to 15 digits that is not too large or small (IEEE 754); any other spelling is examined. */
const safeNumberLength = 15;
const safeExponentMax = 290;

/** U+0000, half of a surrogate pair, or an escaped part of `__proto__`. */
const suspectEscape = /\\u(?:0000|00[567]|d[89a-f])/i;

const quote = 0x22;
const backslash = 0x5c;

/** One pass over the text without recursion; its result is meaningful only for texts that JSON.parse then accepts. */
function scan(text: string): Shape {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let suspect = text.includes('__proto__') || suspectEscape.test(text);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = endOfString(text, index);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    } else if (code === 0x3a) {
      members += 1;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const end = endOfNumber(text, index);
      suspect ||= !isSafelyShort(text, index, end) && !isHeldExactly(text.slice(index, end));
      index = end - 1;
    }
  }
  return { depth: deepest, members, suspect };
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== quote) index += text.charCodeAt(index) === backslash ? 2 : 1;
  return index;
}

function endOfNumber(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && '0123456789.eE+-'.includes(text.charAt(index))) index += 1;
  return index;
}

function isSafelyShort(text: string, start: number, end: number): boolean {
  if (end - start > safeNumberLength) return false;
  for (let index = start; index < end; index += 1) {
    if ((text.charCodeAt(index) | 0x20) === 0x65)
      return Math.abs(Number(text.slice(index + 1, end))) <= safeExponentMax;
  }
  return true;
}

/** The number of members of all objects in a parsed value, whose depth is bounded. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const item of Object.values(value)) if (typeof item === 'object') count += countMembers(item);
  return count;
}

/** Issues kept of one body; the answer contains no more. */
const issuesMax = 100;

/** Ends the visit of a text once the maximum number of issues is reached. */
class Enough extends Error {}

function findIssues(text: string): readonly Issue[] {
  const issues: Issue[] = [];
  try {
    noteIssues(text, issues);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return issues;
}

function noteIssues(text: string, issues: Issue[]): void {
  const report = (path: JSONPath, message: string) => {
    issues.push({ path: boundedPointer(path), message });
    if (issues.length === issuesMax) throw new Enough();
  };
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, _offset, _length, _line, _character, pathOf) => {
      const seen = open.at(-1);
      const path = pathOf();
      if (name === '__proto__') report(path, 'has a member named __proto__');
      else if (!isCleanText(name)) report(path, 'has a member whose name holds U+0000 or a lone surrogate');
      else if (seen?.has(name)) report([...path, name], 'is given more than once');
      seen?.add(name);
    },
    onLiteralValue: (value: unknown, offset, length, _line, _character, pathOf) => {
      if (typeof value === 'string' && !isCleanText(value)) report(pathOf(), 'holds U+0000 or a lone surrogate');
      if (typeof value === 'number' && !isHeldExactly(text.slice(offset, offset + length))) {
        report(pathOf(), 'is a number that a double does not hold exactly');
      }
    },
  });
}

/** A longer pointer is cut to the deepest part that fits, so that a few long names cannot inflate the answer. */
const pointerLengthMax = 1024;

function boundedPointer(path: JSONPath): string {
  let pointer = '';
  for (const token of path) {
    const longer = pointer + pointerTo(token);
    if (longer.length > pointerLengthMax) return pointer;
    pointer = longer;
  }
  return pointer;
}

/** Whether a text contains neither U+0000 nor a lone surrogate. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
