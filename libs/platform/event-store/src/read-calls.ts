import {
  StreamNotFoundError,
  type AllStreamResolvedEvent,
  type RecordedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { Unavailable } from '@app/kernel';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import { isTransient } from './transient-errors';

export type Read = StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>;
type More = (event: RecordedEvent) => boolean;

const waitingMax = 20_000;

/** Reads over one connection, so many at once at most; others wait for their turn, the oldest first. */
export class ReadCalls {
  private readonly turns;

  constructor(openMax: number) {
    this.turns = bulkhead(openMax, waitingMax);
  }

  /**
   * The events of a read, to the one after which `more` answers that it wants no more; none when the stream does not exist.
   * The time to wait for its turn is part of the time that it may take. Throws Unavailable, and what the store refuses.
   */
  collect(open: () => Read, withinMs: number, more: More = () => true): Promise<RecordedEvent[]> {
    return new Promise((resolve, reject) => {
      let read: Read | null = null;
      let [isLate, isWanted] = [false, true];
      const moreWhileWanted: More = (event) => {
        isWanted = false; // also when `more` throws
        return (isWanted = more(event));
      };
      const timer = setTimeout(() => {
        isLate = true;
        const late = new Unavailable('event store', { cause: new Error('no answer in time') });
        reject(late);
        read?.destroy(late);
      }, withinMs);
      const turn = async (): Promise<void> => {
        if (isLate) return;
        read = open();
        try {
          resolve(await eventsOf(read, moreWhileWanted));
        } catch (error) {
          if (error instanceof StreamNotFoundError) resolve([]);
          else reject(asUnavailable(error));
        }
        clearTimeout(timer);
        // The turn is over when the call is. One that ends by itself is not left: a server takes few resets.
        if (isLate || !isWanted) await read.cancel().catch(() => undefined); // it had not even begun
      };
      this.turns.execute(turn).catch((error: unknown) => {
        clearTimeout(timer);
        reject(asUnavailable(error));
      });
    });
  }
}

/** Uses listeners, since an async iterator costs a turn of the event loop for each event. */
async function eventsOf(read: Read, more: More): Promise<RecordedEvent[]> {
  return new Promise((resolve, reject) => {
    const events: RecordedEvent[] = [];
    // The listener stays: a broken connection is reported to ended reads too, where it does not matter.
    read.on('error', reject);
    read.on('end', () => resolve(events));
    let wanted = true;
    read.on('data', ({ event }: ResolvedEvent | AllStreamResolvedEvent) => {
      if (!event || !wanted) return;
      events.push(event);
      try {
        wanted = more(event);
        if (!wanted) resolve(events);
      } catch (error) {
        // Thrown here it would end the process.
        wanted = false;
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

function asUnavailable(error: unknown): Error {
  const away = error instanceof BulkheadRejectedError || isTransient(error);
  return away || !(error instanceof Error) ? new Unavailable('event store', { cause: error }) : error;
}
