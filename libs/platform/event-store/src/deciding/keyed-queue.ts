import { Unavailable } from '@app/kernel';
import AsyncLock from 'async-lock';

/** Runs work on one key one after the other in this process, with a bound on the queue; work on different keys runs concurrently. */
export class KeyedQueue {
  private readonly lock: AsyncLock;

  constructor(waitingPerKeyMax: number) {
    this.lock = new AsyncLock({ maxPending: waitingPerKeyMax });
  }

  /** Runs the body when all earlier ones of the key are done. Throws Unavailable when too many are waiting already. */
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
