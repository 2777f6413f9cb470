import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { lineWidth, member, table } from './layout';

/** Longer JSON is shown with one line for each member. */
const shortJsonMax = 40;
const nestedBy = 2;

/**
 * Formats an answer of the API as lines for a terminal: a list as a table, an object with one member below the other; a list's own members
 * below its table.
 */
export function showAnswer(answer: JsonValue): string[] {
  if (!isJsonObject(answer)) return [textOf(answer)];
  const { data, nextCursor, ...others } = answer;
  if (!Array.isArray(data)) return membersOf(answer);
  const more = typeof nextCursor === 'string' ? ['', `There are more: --cursor ${nextCursor}`] : [];
  return [...rowsOf(data), ...membersOf(others), ...more];
}

function membersOf(value: JsonObject): string[] {
  const isPlain = ([, part]: [string, JsonValue | undefined]): boolean => !isNested(part);
  const plain = Object.entries(value).filter(isPlain);
  const width = Math.max(0, ...plain.map(([name]) => heading(name).length));
  const lines = plain.flatMap(([name, part]) => member(heading(name), textOf(part), width));
  const nested = Object.entries(value).filter((entry) => !isPlain(entry));
  return [...lines, ...nested.flatMap(([name, part]) => ['', heading(name), ...indented(nestedLines(part))])];
}

function nestedLines(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return rowsOf(value, lineWidth() - nestedBy);
  return isJsonObject(value) ? membersOf(value) : [textOf(value)];
}

/** Shows objects as rows, under the names of all their members; nested values as JSON. */
function rowsOf(items: readonly JsonValue[], width = lineWidth()): string[] {
  if (items.length === 0) return ['none'];
  const objects = items.filter(isJsonObject);
  if (objects.length < items.length) return items.map(textOf);
  const names = [...new Set(objects.flatMap((item) => Object.keys(item)))];
  return table(
    names.map(heading),
    objects.map((item) => names.map((name) => textOf(item[name]))),
    width,
  );
}

const isNested = (value: JsonValue | undefined): boolean =>
  isJsonObject(value) || (Array.isArray(value) && value.some((item) => isJsonObject(item)));

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && !value.some(isJsonObject)) return value.map(textOf).join(', ') || '-';
  const json = JSON.stringify(value);
  return json.length <= shortJsonMax ? json : JSON.stringify(value, null, 2);
}

const indented = (lines: readonly string[]): string[] =>
  lines.map((line) => `${' '.repeat(nestedBy)}${line}`.trimEnd());

/** `nextCursor` as `NEXT CURSOR`. A key that is not one of our names, such as a token's id, stays unchanged. */
function heading(name: string): string {
  if (/[^A-Za-z0-9 ()]/.test(name)) return name;
  return name.replace(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
}
