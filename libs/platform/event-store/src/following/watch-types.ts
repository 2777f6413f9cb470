import { Logger } from '@nestjs/common';
import { END, eventTypeFilter, type EventStoreDBClient } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { asSubscription, untilOver } from '../calls/open-calls';

const openAgainMs = 250;

const logger = new Logger('Subscriptions');

export interface Watching {
  /** Prefixes of the event types to watch. */
  readonly types: readonly string[];
  readonly signal: AbortSignal;
  /** Called when every event from now on is reported, until `onLost`. */
  onLive(this: void): void;
  onEvent(this: void): void;
  /** Called when events may be missed from now on, until it is live again. */
  onLost(this: void): void;
}

/**
 * Reports that events of some types happen, from now on until the signal aborts; missed events are not made up for. For caches that are
 * valid as long as no event is reported. Throws at once when the client has 80 subscriptions already.
 */
export async function watchTypes(client: EventStoreDBClient, watching: Watching): Promise<void> {
  const { signal } = watching;
  await asSubscription(client, async () => {
    while (!signal.aborted) {
      await watchOnce(client, watching);
      watching.onLost();
      await sleep(openAgainMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
    }
  });
}

/** Runs one subscription to its end. */
async function watchOnce(client: EventStoreDBClient, { types, signal, onLive, onEvent }: Watching): Promise<void> {
  const filter = eventTypeFilter({ prefixes: [...types] });
  const subscription = client.subscribeToAll({ fromPosition: END, filter });
  subscription.on('confirmation', onLive);
  subscription.on('data', onEvent);
  await untilOver(subscription, signal, logger);
}
