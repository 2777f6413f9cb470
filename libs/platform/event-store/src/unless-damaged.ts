import { DamagedStream } from '@app/kernel';

/**
 * Does a piece of work that needs one stream, for a caller that works on many: the others must not wait for one that is damaged, which
 * `DamagedStreams` has logged and `GET /readyz` names. Returns null where the stream is damaged. Throws everything else.
 */
export async function unlessDamaged<Value>(work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DamagedStream) return null;
    throw error;
  }
}
