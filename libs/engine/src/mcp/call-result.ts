import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { storableInput, storableText } from '../models/answer-values';
import { failed, type ToolResult } from '../tool';

const reportedLengthMax = 2000;
const attachmentsMax = 20;

/**
 * What a call came to, from the result as the server gave it: `{text, structured?, attachments?}`, where attachments are told of by
 * type and size and not shown. An error of the server's and a result over its bound are outcomes like any other.
 */
export function callResult(given: unknown, bytesMax: number): ToolResult {
  if (!isJsonObject(given) || !Array.isArray(given['content'])) return failed('the answer was not understood');
  const content = given['content'].filter(isJsonObject);
  const text = content.flatMap((part) => textOf(part) ?? []).join('\n');
  if (given['isError'] === true) return reported(text);
  const attachments = content.flatMap((part) => attachmentOf(part) ?? []);
  const structured = given['structuredContent'];
  const result = {
    text: storableText(text),
    ...(structured !== undefined && { structured: storableInput(structured) }),
    ...(attachments.length > 0 && { attachments: attachments.slice(0, attachmentsMax) }),
  };
  if (Buffer.byteLength(JSON.stringify(result)) > bytesMax)
    return failed(`the result is larger than ${bytesMax} bytes`);
  return { outcome: 'ok', result };
}

/** An error in the server's words, which are told as its own and within a bound. */
export function reported(words: string): ToolResult {
  const result = { error: 'the tool reports an error', reported: storableText(words.slice(0, reportedLengthMax)) };
  return { outcome: 'error', result };
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
