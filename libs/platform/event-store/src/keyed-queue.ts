import { Unavailable } from '@app/kernel';
import AsyncLock from 'async-lock';

/** Work on one key waits for its turn in this process, up to a bound; work on different keys goes on side by side. */
export class KeyedQueue {
  private readonly lock: AsyncLock;

  constructor(waitingPerKeyMax: number) {
    this.lock = new AsyncLock({ maxPending: waitingPerKeyMax });
  }

  /** Runs the body when all earlier ones of the key are done. Throws Unavailable when too many wait already. */
  async run<Value>(key: string, body: () => Promise<Value>): Promise<Value> {
    let begun = false;
    try {
      return await this.lock.acquire(key, () => {
        begun = true;
        return body();
      });
    } catch (error) {
      throw begun ? error : new Unavailable('service', { cause: error });
    }
  }
}
