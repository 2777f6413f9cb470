import type { JsonObject } from '@app/kernel';
import { text } from '@app/schema';

const entityTag = '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"';

/** Request headers that ask for a part of a file (RFC 9110). */
export const rangeRequestHeaders = {
  'If-None-Match': text({
    description: 'The `ETag` of what the caller has: 304 while that is all there is',
    examples: [entityTag],
  }),
  Range: text({
    description: 'One range of bytes; several, and what is no range, are answered whole',
    examples: ['bytes=0-1023'],
  }),
  'If-Range': text({
    description: 'The `ETag` of what the caller has a part of: with another one the answer is whole',
    examples: [entityTag],
  }),
};

export const rangeAnswerHeaders: JsonObject = {
  ETag: { description: 'Names these bytes for good: their SHA-256', schema: { type: 'string' }, example: entityTag },
  'Accept-Ranges': { description: '`bytes`', schema: { type: 'string' }, example: 'bytes' },
};

/** The answers in addition to the whole. */
export function rangeAnswers(whole: JsonObject): JsonObject {
  const { content, headers, ...rest } = whole;
  const contentRange = {
    description: 'Which bytes these are, and of how many',
    schema: { type: 'string' },
    example: 'bytes 0-1023/146515',
  };
  // Reason for the assertion: the headers of an answer are an object.
  const all = headers as JsonObject;
  return {
    206: {
      ...rest,
      description: 'The bytes of the range',
      headers: { ...all, 'Content-Range': contentRange },
      ...(content !== undefined && { content }),
    },
    304: { description: 'The caller has them already', headers: all },
  };
}
