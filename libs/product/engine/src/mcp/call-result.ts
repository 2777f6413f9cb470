import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { storableInput, storableText } from '../models/answer-values';
import { failWith, type ToolResult } from '../tool';
import { textWithin } from '../text-within';

const reportedLengthMax = 2000;
const attachmentsMax = 20;

/**
 * What a call came to, from the result as the server gave it: `{text, structured?, attachments?, truncated?}`. Text that only repeats
 * `structuredContent`, or the other way round, is recorded once. Attachments are told of by type and size and not shown. What is over
 * the bound is cut, and says so. An error of the server's is an outcome like any other.
 *
 * @param bytesMax of the result as JSON, as it is recorded
 */
export function callResult(given: unknown, bytesMax: number): ToolResult {
  if (!isJsonObject(given) || !Array.isArray(given['content'])) return failWith('the answer was not understood');
  const content = given['content'].filter(isJsonObject);
  const texts = content.flatMap((part) => textOf(part) ?? []);
  if (given['isError'] === true) return reportError(texts.join('\n'));
  const attachments = content.flatMap<JsonObject>((part) => attachmentOf(part) ?? []).slice(0, attachmentsMax);
  const told = mergeCopies(texts, given['structuredContent'] ?? null);
  const result = { ...told, ...(attachments.length > 0 && { attachments }) };
  return { outcome: 'ok', result: bytesOf(result) <= bytesMax ? result : cut(told, attachments, bytesMax) };
}

/** An error in the server's words, quoted as such and within a bound. */
export function reportError(words: string): ToolResult {
  const result = { error: 'the tool reports an error', reported: storableText(words.slice(0, reportedLengthMax)) };
  return { outcome: 'error', result };
}

interface Told {
  readonly text: string;
  readonly structured?: JsonValue;
}

/** Servers repeat what they return: as the JSON of it, and where it is no object wrapped in `{result}`. */
function mergeCopies(texts: readonly string[], structured: JsonValue): Told {
  const words = texts.join('\n');
  const text = storableText(words);
  if (structured === null) return { text };
  const storable = storableInput(structured);
  // So deep that it comes as its text.
  if (typeof storable === 'string') return { text: text === '' ? storable : text };
  const wrapped = isJsonObject(structured) && Object.keys(structured).length === 1 ? structured['result'] : undefined;
  if (wrapped === words) return { text };
  const read = texts.map(readJson);
  const isCopy =
    (texts.length === 1 && (isDeepStrictEqual(read[0], structured) || isDeepStrictEqual(read[0], wrapped))) ||
    (Array.isArray(wrapped) && isDeepStrictEqual(read, wrapped));
  return { text: isCopy ? '' : text, structured: withoutBytes(storable) };
}

/** A text that is not JSON stands for itself. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A beginning of the text, or of the JSON of the structure, and a mark. Attachments stay while they take less than half. */
function cut({ text, structured }: Told, attachments: readonly JsonObject[], bytesMax: number): JsonObject {
  const kept = attachments.slice(0, attachments.findLastIndex((_, last) => fits(attachments, last, bytesMax / 2)) + 1);
  const frame = { text: '', truncated: true, ...(kept.length > 0 && { attachments: kept }) };
  const whole = [text, ...(structured === undefined ? [] : [JSON.stringify(structured)])].filter((part) => part !== '');
  return { ...frame, text: textWithin(whole.join('\n'), bytesMax - bytesOf(frame)) };
}

function fits(attachments: readonly JsonObject[], last: number, bytesMax: number): boolean {
  return bytesOf(attachments.slice(0, last + 1)) <= bytesMax;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Files are not text, neither in what is shown of them, nor in its copy within the structure. */
function withoutBytes(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (isJsonObject(value)) {
    const isFile = typeof value['mimeType'] === 'string' && typeof (value['data'] ?? value['blob']) === 'string';
    if (isFile) return attachmentOf(value);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBytes(member ?? null)]));
  }
  return value.map(withoutBytes);
}

function textOf(part: JsonObject): string | null {
  if (part['type'] === 'text') return typeof part['text'] === 'string' ? part['text'] : null;
  const resource = part['type'] === 'resource' ? part['resource'] : null;
  return isJsonObject(resource) && typeof resource['text'] === 'string' ? resource['text'] : null;
}

function attachmentOf(part: JsonObject): JsonObject | null {
  if (part['type'] === 'text') return null;
  if (textOf(part) !== null) return null;
  const held = isJsonObject(part['resource']) ? part['resource'] : part;
  const base64 = held['data'] ?? held['blob'];
  return {
    type: shortText(part['type']),
    mediaType: shortText(held['mimeType']),
    ...(typeof base64 === 'string' ? { bytes: Buffer.byteLength(base64, 'base64') } : { uri: shortText(held['uri']) }),
  };
}

function shortText(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? storableText(value.slice(0, 200)) : null;
}
