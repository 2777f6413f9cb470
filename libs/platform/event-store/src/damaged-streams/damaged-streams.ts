import { Logger } from '@nestjs/common';
import { DamagedStream, failureWords } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import type { StoredEvent } from '../events/codec';

/** Streams that are remembered, by number: each is a name and two words. An administrator damages few of them, or all. */
const streamsMax = 10_000;

const logger = new Logger('DamagedStreams');

/**
 * The streams that this process knows to be damaged. While a stream is listed, this process folds nothing from it and appends nothing to
 * it, even with a cached state.
 */
export class DamagedStreams {
  private readonly known = new LRUCache<string, DamagedStream>({ max: streamsMax });
  private readonly listeners = new Set<(found: DamagedStream) => void>();

  /** All of them, in no particular order. */
  get all(): readonly DamagedStream[] {
    return [...this.known.values()];
  }

  /** The known damage of a stream, or null. */
  of(stream: string): DamagedStream | null {
    return this.known.peek(stream) ?? null;
  }

  /** @throws DamagedStream when the stream is known to be damaged */
  refuse(stream: string): void {
    const known = this.known.size === 0 ? undefined : this.known.get(stream);
    if (known !== undefined) throw new DamagedStream(stream, known.damage, known.from);
  }

  /** Lists a stream. Logs it the first time, and each time that the damage differs. Never throws. */
  add(found: DamagedStream): void {
    const known = this.known.get(found.stream);
    this.known.set(found.stream, found);
    if (known?.damage === found.damage) return;
    logger.error(`${found.message}; it is left alone until it is whole (docs/runbook.md, "ParleyStreamDamaged")`);
    for (const tell of this.listeners) tell(found);
  }

  /**
   * Returns the result of `read` for a stored event. If it throws, this product cannot have written the event, and the stream is listed.
   * @param read without I/O
   * @throws DamagedStream
   */
  reading<Value>({ stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>, read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      const found = new DamagedStream(stream, 'foreign', revision);
      found.cause = error;
      logger.error(`event ${revision} of ${stream} cannot be read: ${failureWords(error)}`);
      this.add(found);
      throw found;
    }
  }

  /** Removes a stream that is whole again. */
  remove(stream: string): void {
    if (this.known.delete(stream)) logger.warn(`stream ${stream} is whole again`);
  }

  /** Calls a listener with each stream that is listed from now on; it must not throw. @returns a function that removes the listener */
  onDamage(listener: (found: DamagedStream) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/**
 * Runs work that needs one stream, for a caller that works on many: the others must not wait for a damaged one, which `DamagedStreams` has
 * logged and `GET /readyz` names. Returns null when the stream is damaged. Throws everything else.
 */
export async function unlessDamaged<Value>(work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DamagedStream) return null;
    throw error;
  }
}
