import type { AgUiEvent } from './protocol.js';
import { threadOf, type Frame, type Thread } from './thread.js';
import { translate } from './translate.js';

/**
 * Translates a journal into AG-UI events as long as there are frames: the events within runs, without those that begin
 * and end a run.
 * Returns the client's state at the end. @param thread the client's state before
 */
export async function* toAgUiEvents(
  frames: AsyncIterable<Frame, void>,
  thread: Thread = threadOf(),
): AsyncGenerator<AgUiEvent, Thread> {
  const iterator = frames[Symbol.asyncIterator]();
  try {
    return yield* follow(iterator, thread, () => false);
  } finally {
    await iterator.return?.();
  }
}

/** Does the same until `isOver`; later frames are not read. */
export async function* follow(
  frames: AsyncIterator<Frame, void>,
  thread: Thread,
  isOver: (thread: Thread) => boolean,
): AsyncGenerator<AgUiEvent, Thread> {
  while (!isOver(thread)) {
    const { done, value } = await frames.next();
    if (done === true) return thread;
    const step = translate(thread, value);
    thread = step.thread;
    yield* step.events;
  }
  return thread;
}
