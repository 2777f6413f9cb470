import { createHash } from 'node:crypto';
import { pipeline, Transform, type Readable } from 'node:stream';
import { MissingContent, type Reading } from './artifact-store';

/** Whether a read is to be hashed: it gets the whole content, whose hash is known; that of a part is not. */
export function isHashed({ bytes, range, isUnhashed }: Reading): boolean {
  if (isUnhashed === true) return false;
  return range === undefined || (range.from === 0 && bytes !== undefined && range.to >= bytes - 1);
}

/**
 * Passes content on and hashes it on the way. Its last chunk is passed on only if the hash is right; otherwise the stream fails with
 * `MissingContent`, so that no reader takes changed bytes for the whole content.
 */
export function verified(content: Readable, sha256: string, place: string): Readable {
  const hash = createHash('sha256');
  let held: Buffer | null = null;
  const verifying = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      const next = held;
      held = chunk;
      done(null, next);
    },
    flush(done) {
      if (hash.digest('hex') === sha256) done(null, held);
      else done(new MissingContent(place, 'damaged'));
    },
  });
  // The reader gets the error. Ends the content too when the reader leaves.
  return pipeline(content, verifying, () => undefined);
}
