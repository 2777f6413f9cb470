import { newHeader, plainBytesOf, segmentBytes, SegmentCipher } from './segments';

/**
 * Yields the bytes of a sealed file, of which one segment is held at a time. Rethrows the body's error. The same key must not seal two
 * files that a reader could take for each other.
 * @param key of 32 bytes
 */
export async function* sealStream(key: Buffer, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const header = newHeader();
  const cipher = new SegmentCipher(key, header);
  const held = Buffer.allocUnsafe(segmentBytes);
  let segment = 0;
  let filled = 0;
  yield header;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length;) {
      // Sealed only when more follows, because the last segment says that it is.
      if (filled === plainBytesOf(segment)) {
        yield cipher.seal(segment, false, held.subarray(0, filled));
        segment += 1;
        filled = 0;
      }
      const copied = chunk.copy(held, filled, at, at + plainBytesOf(segment) - filled);
      filled += copied;
      at += copied;
    }
  }
  yield cipher.seal(segment, true, held.subarray(0, filled));
}
