import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { storableInput, storableText } from '../models/answer-values';

/** Characters of a member of an attachment; a longer one is cut, and marked. */
const memberLengthMax = 4096;
/** Characters of a part of an unknown type, as JSON. */
const unknownLengthMax = 4096;
/** Members that describe a link or a file. */
const wordNames = ['uri', 'name', 'title', 'description'] as const;
const fileTypes: readonly unknown[] = ['image', 'audio', 'resource', 'resource_link'];

/** Returns the words of a content part, or null if it has none. */
export function textOf(part: JsonValue): string | null {
  if (typeof part === 'string') return part;
  if (!isJsonObject(part)) return null;
  const { type, text, resource } = part;
  if (type === 'text') return typeof text === 'string' ? text : JSON.stringify(text ?? null);
  const held = type === 'resource' && isJsonObject(resource) ? resource['text'] : null;
  return typeof held === 'string' ? held : null;
}

/**
 * Describes what a part holds in addition to words: files by type, size and address, links whole, anything unknown as it is. Null for words
 * alone.
 */
export function attachmentOf(part: JsonValue): JsonObject | null {
  if (!isJsonObject(part) || part['type'] === 'text') return null;
  return fileTypes.includes(part['type']) || isFile(part) ? fileOf(part) : unknownOf(part);
}

/** Replaces files by their description, because they are not text: neither where they are shown, nor in their copy within the structure. */
export function withoutBytes(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (isJsonObject(value)) {
    if (isFile(value)) return fileOf(value);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBytes(member ?? null)]));
  }
  return value.map(withoutBytes);
}

function isFile(value: JsonObject): boolean {
  return typeof value['mimeType'] === 'string' && typeof (value['data'] ?? value['blob']) === 'string';
}

function fileOf(part: JsonObject): JsonObject {
  const held = isJsonObject(part['resource']) ? part['resource'] : part;
  const { mimeType, size } = held;
  const { annotations } = part;
  const base64 = held['data'] ?? held['blob'];
  const told = wordNames.flatMap((name) => {
    const word = held[name];
    return typeof word === 'string' ? [[name, word] as const] : [];
  });
  const long = told.filter(([, word]) => word.length > memberLengthMax).map(([name]) => name);
  return {
    type: typeof part['type'] === 'string' ? cutWord(part['type']) : null,
    mediaType: typeof mimeType === 'string' ? cutWord(mimeType) : null,
    ...Object.fromEntries(told.map(([name, word]) => [name, cutWord(word)])),
    ...(typeof base64 === 'string' ? { bytes: Buffer.byteLength(base64, 'base64') } : {}),
    ...(typeof size === 'number' ? { size } : {}),
    ...(isJsonObject(annotations) && JSON.stringify(annotations).length <= unknownLengthMax
      ? { annotations: storableInput(annotations) }
      : {}),
    ...(long.length > 0 ? { cut: long } : {}),
  };
}

/** Describes a part of a type that only a later version of the protocol, or only this server, knows. */
function unknownOf(part: JsonObject): JsonObject {
  const shown = withoutBytes(part);
  const json = JSON.stringify(shown);
  if (json.length > unknownLengthMax) return { json: storableText(json.slice(0, unknownLengthMax)), cut: ['json'] };
  const storable = storableInput(shown);
  return isJsonObject(storable) ? storable : { json: storable };
}

function cutWord(word: string): string {
  return storableText(word.slice(0, memberLengthMax));
}
