import type { ByteRange } from '@app/http';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

/** A store that can only be a mistake of the configuration: its message names the variable, what was found, and what to do. */
export class UnfitArtifactStore extends Error {}

/** How bytes are read. */
export interface Reading {
  /** The length of the whole: a store that has less fails, and more is not read. */
  readonly bytes?: number | undefined;
  /** Bytes from the first to the last, both included and there; all where absent. */
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a store has taken. */
export interface StoredBytes {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Where the bytes of artifacts are kept, by their SHA-256: the same bytes are kept once (docs/decisions/artifacts-and-activity.md).
 * Content is never changed or removed under its hash, so readers need no locks.
 */
export abstract class ArtifactStore {
  /**
   * Keeps what the body holds, durably, while it arrives; its hash is known only at the end. Throws what the body throws, and then
   * keeps nothing. @throws Unavailable
   */
  abstract put(body: AsyncIterable<Buffer>): Promise<StoredBytes>;

  /**
   * The bytes of that hash, to be read to the end or destroyed; null when there are none. Rejects, or breaks them, with the signal's
   * reason when it aborts. @throws Unavailable, as the bytes do that do not come
   */
  abstract get(sha256: string, reading?: Reading): Promise<Readable | null>;

  /** Whether it can be used, looked at once with the rights that it needs and no others. @throws UnfitArtifactStore, Unavailable */
  abstract look(signal: AbortSignal): Promise<void>;

  /** Removes what uploads left that were cut off by a crash; left where it is when the signal aborts. @throws Unavailable */
  abstract sweep(signal: AbortSignal): Promise<void>;
}

/** An upload takes two minutes at most (the HTTP core ends it); anything older than this was abandoned. */
export const abandonedAfterMs = 10 * 60_000;

/** Passes a body on to a store, counts and hashes what goes by, and remembers what broke it. */
export class Measured {
  private readonly hash = createHash('sha256');
  private bytes = 0;
  private failure: { readonly error: unknown } | null = null;

  constructor(private readonly body: AsyncIterable<Buffer>) {}

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    // What is thrown while the store has a chunk is the store's own.
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

  /** What the body was, once it has been passed on to its end; to be asked once. */
  finish(): StoredBytes {
    return { sha256: this.hash.digest('hex'), bytes: this.bytes };
  }

  /** The body's own failure where it was that, else what the store's means. */
  failureOr(meaning: Error): unknown {
    return this.failure === null ? meaning : this.failure.error;
  }
}
