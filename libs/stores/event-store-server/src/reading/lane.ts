import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Queue in which readers of many events wait to continue: one of them in each turn of the event loop, in order of arrival. However many
 * there are, a lookup or an append waits only for the piece of one.
 */
export class Lane {
  private last: Promise<void> = Promise.resolve();

  /** There are at most as many waiters as open calls; each waits for its own turn. */
  turn(): Promise<void> {
    this.last = this.last.then(() => nextTurn());
    return this.last;
  }
}
