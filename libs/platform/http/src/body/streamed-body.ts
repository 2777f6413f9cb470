import { invalid, type Issue } from '@app/kernel';
import type { Readable } from 'node:stream';
import { ProblemException, type Failure } from '../problems/problems';

export const tooLarge: Failure = { kind: 'bare', problem: 'too_large' };
export const packed: Failure = { kind: 'bare', problem: 'unsupported_encoding' };
export const brokenOff: Failure = invalid('', 'broke off before its end');
export const tooSlow: Failure = invalid('', 'took too long to arrive');
export const emptyBody: Issue = { path: '', message: 'must not be empty' };

/**
 * Yields a body while it arrives, no faster than it is consumed. Reaching its end means that it is complete. Throws a ProblemException when
 * the limit is exceeded (before the remainder is read), when the client disconnects, and when the body is empty.
 */
export async function* streamedBody(payload: Readable, limitBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(payload)) {
      bytes += chunk.length;
      if (bytes > limitBytes) throw new ProblemException(tooLarge);
      yield chunk;
    }
  } finally {
    // A client that sends without reading can thus get to its answer; the first hook cuts it off if it continues for long.
    payload.resume();
  }
  if (bytes === 0) throw new ProblemException({ kind: 'invalid_input', issues: [emptyBody] });
}

async function* chunksOf(payload: Readable): AsyncGenerator<Buffer, void, undefined> {
  // The connection is still needed for the answer.
  const chunks: AsyncIterator<Buffer, void, undefined> = payload.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await chunks.next().catch(() => {
        throw new ProblemException(brokenOff);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}
