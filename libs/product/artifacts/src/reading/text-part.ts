import { codePointLength } from '@app/kernel';
import type { Readable } from 'node:stream';
import type { TextPart } from './pdf-reader';

/**
 * Returns a part of a text that arrives as a stream of UTF-8; null if it is not UTF-8. Never holds the whole text, and yields to other work
 * while scanning. Rejects with the signal's reason when it aborts.
 * @param offset in code points, as `length` is
 */
export async function partOfStream(
  content: Readable,
  { offset, length }: { readonly offset: number; readonly length: number },
  signal: AbortSignal,
): Promise<TextPart | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const part = { text: '', totalLength: 0 };
  const add = (text: string): void => {
    const from = unitsOf(text, 0, offset - part.totalLength);
    const wanted = offset + length - Math.max(offset, part.totalLength);
    if (wanted > 0) part.text += text.slice(from, unitsOf(text, from, wanted));
    part.totalLength += codePointLength(text);
  };
  let isUtf8 = true;
  // Reason for the assertion: no store sets an encoding.
  for await (const chunk of content as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    const text = isUtf8 ? decode(decoder, chunk) : null;
    // Reads on, since a damaged content fails only at its end, and need not be UTF-8.
    if (text === null) isUtf8 = false;
    else add(text);
  }
  if (!isUtf8) return null;
  const rest = decode(decoder, null);
  if (rest !== null) add(rest);
  return rest === null ? null : part;
}

/** @param bytes null at the end */
function decode(decoder: TextDecoder, bytes: Buffer | null): string | null {
  try {
    return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    return null; // the decoder fails for this reason only
  }
}

/** Returns the index in code units that is `count` code points after the index `from`, or the end. */
function unitsOf(text: string, from: number, count: number): number {
  let at = from;
  for (let passed = 0; passed < count && at < text.length; passed += 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}
