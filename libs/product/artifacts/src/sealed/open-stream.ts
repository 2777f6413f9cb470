import { pipeline, Transform, type Readable } from 'node:stream';
import { fullBytesOf, headerBytes, SegmentCipher, type Segments } from './segments';

/** The part of a sealed file that a stream has. */
export interface SealedPart {
  readonly key: Buffer;
  readonly segments: Segments;
  /** The file's header, if the stream begins after it; null if the stream begins with it. */
  readonly header: Buffer | null;
}

/**
 * Opens segments of a sealed file as they arrive, and passes on the requested bytes. Fails at the first segment that is not the one that
 * was sealed at its place, and where bytes are missing or left over; the bytes before it are genuine.
 * @param damaged makes the error
 */
export function openStream(content: Readable, part: SealedPart, damaged: () => Error): Readable {
  const opening = new Opening(part);
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        for (const plain of opening.add(chunk)) this.push(plain);
        done();
      } catch {
        done(damaged()); // AES-GCM gives no reason
      }
    },
    flush(done) {
      done(opening.isComplete() ? null : damaged());
    },
  });
  // The reader gets the error. Ends the content too when the reader leaves.
  return pipeline(content, transform, () => undefined);
}

/** The segments that have arrived so far, of which an incomplete one is held. */
class Opening {
  private cipher: SegmentCipher | null = null;
  private held: Buffer = Buffer.alloc(0);
  private next: number;
  private skip: number;
  private take: number;

  constructor(private readonly part: SealedPart) {
    const { segments } = part;
    [this.next, this.skip, this.take] = [segments.first, segments.skip, segments.take];
  }

  /** Yields plaintext that the chunk completes. @throws Error for bytes that were altered */
  *add(chunk: Buffer): Generator<Buffer, void, undefined> {
    this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    const { key, header, segments } = this.part;
    if (this.cipher === null) {
      if (header === null && this.held.length < headerBytes) return;
      this.cipher = new SegmentCipher(key, header ?? this.taken(headerBytes));
    }
    while (this.next <= segments.last) {
      const isLast = this.next === segments.last;
      const bytes = isLast ? segments.lastBytes : fullBytesOf(this.next);
      if (this.held.length < bytes) return;
      const plain = this.cipher.open(this.next, isLast && segments.isEnd, this.taken(bytes));
      this.next += 1;
      const wanted = plain.subarray(this.skip, this.skip + this.take);
      this.skip = 0;
      this.take -= wanted.length;
      if (wanted.length > 0) yield wanted;
    }
  }

  isComplete(): boolean {
    return this.next > this.part.segments.last && this.take === 0 && this.held.length === 0;
  }

  private taken(bytes: number): Buffer {
    const taken = this.held.subarray(0, bytes);
    this.held = this.held.subarray(bytes);
    return taken;
  }
}
