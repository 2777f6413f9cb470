/** An answer holds more than its reader takes. */
export class AnswerTooLong extends Error {
  constructor(bytesMax: number) {
    super(`an answer of more than ${bytesMax} bytes`);
  }
}

/** The body of an answer, unpacked. What is too long is left there, and its connection ends. @throws AnswerTooLong, and what `fetch` throws */
export async function bodyWithin(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop by throwing cancels the body.
  for await (const chunk of response.body ?? []) {
    // Reason for the assertion: the types of the body of fetch leave its chunks open; they are bytes.
    const piece = chunk as Uint8Array;
    bytes += piece.length;
    if (bytes > bytesMax) throw new AnswerTooLong(bytesMax);
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
