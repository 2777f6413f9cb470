import { isDeepStrictEqual } from 'node:util';
import { isJsonList, isJsonObject, words as say, type JsonObject, type JsonValue } from '@app/kernel';
import { storableInput, storableText, textWithin } from '../models/answer-values';
import { failWith, type ToolResult } from '../tool';
import { isFaithful, minified, rawKey } from './exact-numbers';
import { attachmentOf, textOf, withoutBytes } from './result-parts';

const reportedLengthMax = 2000;
const attachmentsMax = 20;

/**
 * The outcome of a call, from the result as the server gave it: `{text, structured?, attachments?, truncated?}`. Text that only repeats
 * `structuredContent`, or the other way round, is recorded once; structure with a number that a double would spell differently is recorded
 * as its JSON. Attachments are described and not shown. A result over the bound is cut and marked. An error of the server is an outcome
 * like any other, with the same members, but `reported` in place of `text`.
 *
 * @param bytesMax of the result as JSON, as it is recorded
 */
export function callResult(given: unknown, bytesMax: number): ToolResult {
  if (!isJsonObject(given)) return failWith('the answer was not understood');
  // Older servers answer with `toolResult`; some leave `content` out where there is structure.
  const structured = given['structuredContent'] ?? given['toolResult'] ?? null;
  const content = given['content'] ?? (structured === null ? null : []);
  if (!isJsonList(content)) return failWith('the answer was not understood');
  const texts = content.flatMap((part) => textOf(part) ?? []);
  const described = content.flatMap<JsonObject>((part) => attachmentOf(part) ?? []);
  const attachments = described.slice(0, attachmentsMax);
  const told = mergeCopies(texts, structured);
  const isCut = told.isCut || described.length > attachments.length;
  const { text, structured: kept } = told;
  const isError = given['isError'] === true;
  const whole = resultOf({ text, ...(kept !== undefined && { structured: kept }) }, attachments, { isCut, isError });
  const room = isError ? bytesMax - bytesOf({ error: reportsError }) : bytesMax;
  const result = bytesOf(whole) <= room ? whole : cut(told, attachments, room, isError);
  return isError ? { outcome: 'error', result: { error: reportsError, ...result } } : { outcome: 'ok', result };
}

const reportsError = say`the tool reports an error`;

/** An error in the server's words, quoted as such and within a bound. */
export function reportError(words: string): ToolResult {
  const reported = storableText(words.slice(0, reportedLengthMax));
  const mark = words.length > reportedLengthMax ? { truncated: true } : {};
  const result = { error: reportsError, reported, ...mark };
  return { outcome: 'error', result };
}

interface CallText {
  readonly text: string;
  readonly structured?: JsonValue;
  /** Whether a part of it is left out. */
  readonly isCut: boolean;
}

function resultOf(
  { text, ...structured }: { readonly text: string; readonly structured?: JsonValue },
  attachments: readonly JsonObject[],
  { isCut, isError }: { readonly isCut: boolean; readonly isError: boolean },
): JsonObject {
  return {
    ...(isError ? { reported: text } : { text }),
    ...structured,
    ...(attachments.length > 0 && { attachments }),
    ...(isCut && { truncated: true }),
  };
}

/**
 * Merges text and structure, because servers repeat what they return: as its JSON text, and wrapped in `{result}` where it is no object.
 */
function mergeCopies(texts: readonly string[], structured: JsonValue): CallText {
  const words = texts.join('\n');
  const text = storableText(words);
  if (structured === null) return { text, isCut: false };
  const raw = isJsonObject(structured) ? structured[rawKey] : undefined;
  if (typeof raw === 'string') return mergeJson(texts, storableText(raw));
  const storable = storableInput(structured);
  // Nested so deeply that it was converted to its JSON text.
  if (typeof storable === 'string' && typeof structured !== 'string')
    return { text: text === '' ? storable : text, isCut: text !== '' };
  const wrapped = isJsonObject(structured) && Object.keys(structured).length === 1 ? structured['result'] : undefined;
  if (wrapped === words) return { text, isCut: false };
  const read = texts.map(readJson);
  const isCopy =
    (texts.length === 1 && (isDeepStrictEqual(read[0], structured) || isDeepStrictEqual(read[0], wrapped))) ||
    (Array.isArray(wrapped) && isDeepStrictEqual(read, wrapped));
  return { text: isCopy ? '' : text, structured: withoutBytes(storable), isCut: false };
}

/** Merges texts with structure that is given as JSON; a text that is the same JSON, number by number, is recorded once. */
function mergeJson(texts: readonly string[], json: string): CallText {
  const words = storableText(texts.join('\n'));
  const isCopy = [json, /^\s*\{\s*"result"\s*:(.*)\}\s*$/s.exec(json)?.[1]].some(
    (one) => one !== undefined && minified(one) === minified(words),
  );
  const text = isCopy ? words : [words, json].filter((part) => part !== '').join('\n');
  return { text, isCut: false };
}

/** Returns the parsed JSON, or the text itself if it is not JSON. */
function readJson(text: string): unknown {
  try {
    // A text with numbers that a double would change is no copy of the structure.
    return isFaithful(text) ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

/**
 * Cuts a result to the bound: a beginning of the text and of the structure's JSON, and a mark. Attachments stay while they take at most
 * half.
 */
function cut(
  { text, structured }: CallText,
  attachments: readonly JsonObject[],
  bytesMax: number,
  isError: boolean,
): JsonObject {
  const kept = attachments.slice(0, attachments.findLastIndex((_, last) => fits(attachments, last, bytesMax / 2)) + 1);
  const frame = resultOf({ text: '' }, kept, { isCut: true, isError });
  const whole = [text, ...(structured === undefined ? [] : [JSON.stringify(structured)])].filter((part) => part !== '');
  return { ...frame, [isError ? 'reported' : 'text']: textWithin(whole.join('\n'), bytesMax - bytesOf(frame)) };
}

function fits(attachments: readonly JsonObject[], last: number, bytesMax: number): boolean {
  return bytesOf(attachments.slice(0, last + 1)) <= bytesMax;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
