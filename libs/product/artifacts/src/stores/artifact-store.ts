import type { ByteRange } from '@app/http';
import { Unavailable } from '@app/kernel';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

/** A store that cannot work because of a mistake in the configuration: the message names the variable, what was found, and what to do. */
export class UnfitArtifactStore extends Error {}

/** The store answers, and lacks bytes that a journal names, or has others: an operator can put them back. The message names their place. */
export class MissingContent extends Unavailable {
  constructor(place: string, state: 'missing' | 'damaged' = 'missing') {
    super('artifact store');
    this.message = `the content of an artifact is ${state}: put ${place} back, from a backup or another copy`;
  }
}

/** Options of a read. */
export interface Reading {
  /** The length of the whole: a store that has fewer bytes fails, and further bytes are not read. */
  readonly bytes?: number | undefined;
  /** Bytes from the first to the last, both included and existing; all if absent. */
  readonly range?: ByteRange | undefined;
  /** True for a reader that verifies the bytes itself; else those that are read whole are hashed. */
  readonly isUnhashed?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Hash and length of stored bytes. */
export interface StoredBytes {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Stores bytes by their SHA-256, equal ones only once (docs/decisions/artifacts-and-activity.md): those of artifacts are sealed, so that no
 * two are equal, and of earlier versions as they were. Content is never changed under its hash, so readers need no locks.
 */
export abstract class ArtifactStore {
  /**
   * Stores the body durably while it arrives; its hash is known only at the end. Rethrows the body's error, and then stores nothing.
   * @throws Unavailable
   */
  abstract put(body: AsyncIterable<Buffer>): Promise<StoredBytes>;

  /**
   * Returns the bytes of that hash, which the caller must read to the end or destroy; null if there are none. Rejects, or breaks off the
   * bytes, with the signal's reason when it aborts. @throws Unavailable, as do bytes that fail to arrive. A whole content whose hash is
   * another one fails with `MissingContent` before its last bytes.
   */
  abstract get(sha256: string, reading?: Reading): Promise<Readable | null>;

  /** Names the place of the bytes of that hash for an operator: a file or an object. */
  abstract placeOf(sha256: string): string;

  /**
   * Removes the bytes of that hash; does nothing if there are none. A reader that has begun may fail. Returns false if this service may not
   * remove anything there. @throws Unavailable
   */
  abstract remove(sha256: string): Promise<boolean>;

  /** Checks once whether the store can be used, with the rights that it needs and no others. @throws UnfitArtifactStore, Unavailable */
  abstract look(signal: AbortSignal): Promise<void>;

  /** Removes the remains of uploads that a crash cut off; stops when the signal aborts. @throws Unavailable */
  abstract sweep(signal: AbortSignal): Promise<void>;
}

/** An upload takes at most two minutes (the HTTP core ends it); anything older than this was abandoned. */
export const abandonedAfterMs = 10 * 60_000;

/** Passes a body on to a store, counts and hashes it on the way, and remembers its error. */
export class Measured {
  private readonly hash = createHash('sha256');
  private bytes = 0;
  private failure: { readonly error: unknown } | null = null;

  constructor(private readonly body: AsyncIterable<Buffer>) {}

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    // An error that is thrown while the store has a chunk is the store's own.
    let isWithStore = false;
    try {
      for await (const chunk of this.body) {
        this.hash.update(chunk);
        this.bytes += chunk.length;
        isWithStore = true;
        yield chunk;
        isWithStore = false;
      }
    } catch (error) {
      if (!isWithStore) this.failure = { error };
      throw error;
    }
  }

  /** Returns hash and length of the body, once it has been passed on to its end; call it only once. */
  finish(): StoredBytes {
    return { sha256: this.hash.digest('hex'), bytes: this.bytes };
  }

  /** Returns the body's own error if there was one, otherwise the given error for the store's. */
  failureOr(meaning: Error): unknown {
    return this.failure === null ? meaning : this.failure.error;
  }
}
