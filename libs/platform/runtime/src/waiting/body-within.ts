/** An answer is longer than its reader accepts. */
export class AnswerTooLong extends Error {
  constructor(bytesMax: number) {
    super(`an answer of more than ${bytesMax} bytes`);
  }
}

/**
 * Returns the body of an answer, decompressed. The remainder of one that is too long is not read, and its connection ends. @throws
 * AnswerTooLong, and the errors of `fetch`
 */
export async function bodyWithin(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop by throwing cancels the body.
  for await (const chunk of response.body ?? []) {
    // Reason for the assertion: the types of fetch leave the chunks of the body open; they are bytes.
    const piece = chunk as Uint8Array;
    bytes += piece.length;
    if (bytes > bytesMax) throw new AnswerTooLong(bytesMax);
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
