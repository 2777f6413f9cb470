import { DamagedStream } from '@app/kernel';

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
