import type { AgUiEvent } from './protocol.js';
import { threadOf, type Frame, type Thread } from './thread.js';
import { translate } from './translate.js';

/**
 * A journal as AG-UI events, as long as there are frames: what happens within runs, without the events that begin and end them.
 * Returns what the client has then. @param thread what it has before
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

/** The same until the thread is as wanted; the frames after that are left. */
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
