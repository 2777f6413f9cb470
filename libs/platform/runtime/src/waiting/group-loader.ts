import { Unavailable } from '@app/kernel';
import DataLoader from 'dataloader';

export interface GroupBounds {
  /** Maximum number of requests that one call answers. */
  readonly batchMax: number;
  /** Maximum number of waiting requests; the next one is refused as unavailable. */
  readonly waitingMax: number;
}

/** A call that takes longer has failed; the next one is made without waiting for it any more. */
const answerWithinMs = 10_000;

/**
 * Answers many concurrent requests with few calls, like a group commit: at most one call is in flight, and requests that arrive meanwhile
 * go into the next. An idle loader calls at the end of the present turn of the event loop.
 */
export class GroupLoader<Request, Answer> {
  private readonly loader: DataLoader<Request, Answer>;
  /** Batches that wait for their turn, oldest first; limited by `waitingMax`. */
  private readonly ready: (() => void)[] = [];
  private busy = false;
  private waiting = 0;

  constructor(
    private readonly call: (requests: readonly Request[]) => Promise<readonly Answer[]>,
    private readonly bounds: GroupBounds,
  ) {
    this.loader = new DataLoader((requests) => this.callNow(requests), {
      cache: false,
      maxBatchSize: bounds.batchMax,
      batchScheduleFn: (dispatch) => this.schedule(dispatch),
    });
  }

  /** Returns the answer to one request. @throws Unavailable when too many wait already, and the errors of the call */
  load(request: Request): Promise<Answer> {
    if (this.waiting >= this.bounds.waitingMax) return Promise.reject(new Unavailable('database'));
    this.waiting += 1;
    return this.loader.load(request);
  }

  private schedule(dispatch: () => void): void {
    this.ready.push(dispatch);
    if (!this.busy && this.ready.length === 1) setImmediate(() => this.next());
  }

  private next(): void {
    if (!this.busy) this.ready.shift()?.();
  }

  private async callNow(requests: readonly Request[]): Promise<readonly Answer[]> {
    this.busy = true;
    try {
      return await within(answerWithinMs, this.call(requests));
    } finally {
      this.busy = false;
      this.waiting -= requests.length;
      // In a separate turn, so that requests caused by the answers join the waiting batch.
      if (this.ready.length > 0) setImmediate(() => this.next());
    }
  }
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unavailable('database')), ms);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
