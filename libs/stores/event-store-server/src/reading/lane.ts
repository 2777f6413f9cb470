import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Where readers of much wait to go on: one of them in each turn of the event loop, the first that came first. However many there are,
 * a look-up or an append waits for the piece of one.
 */
export class Lane {
  private last: Promise<void> = Promise.resolve();

  /** Those who wait are at most as many as open calls: each waits for its own turn. */
  turn(): Promise<void> {
    this.last = this.last.then(() => nextTurn());
    return this.last;
  }
}
