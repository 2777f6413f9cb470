import type { EventStoreDBClient } from '@eventstore/db-client';
import { Unavailable } from '@app/kernel';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import type { ReceivedEvent } from '@app/event-store-wire';
import { ReadCall } from './read-call';
import { isTransient } from './transient-errors';

/** Receives an event, and returns whether it wants more. */
type Take = (event: ReceivedEvent) => boolean;

const waitingMax = 20_000;

/** Reads over one connection, with a limit on how many run at once; others wait for their turn, the oldest first. */
export class ReadCalls {
  private readonly turns;

  constructor(
    private readonly client: EventStoreDBClient,
    openMax: number,
  ) {
    this.turns = bulkhead(openMax, waitingMax);
  }

  /**
   * Passes on the events of a read as they arrive, until `take` wants no more. Returns `missing`, without events, when the stream does not
   * exist or was soft-deleted. The wait for its turn counts towards `withinMs`. Throws Unavailable, the store's refusals, and errors of
   * `take`.
   * @param request an encoded `ReadReq`
   */
  collect(request: Buffer, withinMs: number, take: Take): Promise<'read' | 'missing'> {
    return new Promise((resolve, reject) => {
      let found: 'read' | 'missing' = 'read';
      let call: ReadCall | null = null;
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        const late = new Unavailable('event store', { cause: new Error('no answer in time') });
        reject(late);
        call?.cancel(late);
      }, withinMs);
      const turn = (): Promise<void> =>
        new Promise((over, fail) => {
          if (isLate) return over();
          call = new ReadCall(this.client, request, {
            take: (answer) => {
              // A call that ends by itself is not cancelled, because a server accepts few resets.
              if (answer.kind === 'event' && !take(answer)) call?.cancel();
              if (answer.kind === 'missing') found = 'missing';
              return true;
            },
            end: (error) => (error === null ? over() : fail(error)),
          });
        });
      this.turns
        .execute(turn)
        .then(
          () => resolve(found),
          (error: unknown) => reject(asUnavailable(error)),
        )
        .finally(() => clearTimeout(timer));
    });
  }
}

function asUnavailable(error: unknown): Error {
  const away = error instanceof BulkheadRejectedError || isTransient(error);
  return away || !(error instanceof Error) ? new Unavailable('event store', { cause: error }) : error;
}
