/** A bad day as clients see it: subscriptions of the official client, and the appends that the product makes through it. */
import { inspect } from 'node:util';
import { AppendChannel } from '@app/event-store';
import { EventStoreDBClient, streamNameFilter, TimeoutError } from '@eventstore/db-client';
import { collect, EmbeddedStore, numbers, testEvent, uniqueStream } from '@app/testing/event-store';

const APPEND_TIMEOUT_MS = 20_000;

let store: EmbeddedStore;
let client: EventStoreDBClient;
beforeEach(async () => {
  store = await EmbeddedStore.start();
  await store.stopServer();
  await store.startServer(undefined, 'a bad day');
  client = new EventStoreDBClient({ endpoint: store.address }, { insecure: true });
});
afterEach(async () => {
  await client.dispose();
  await store.stop();
});

test('subscribers are aborted, appends refused or unanswered, and nothing is lost or doubled', async () => {
  const stream = uniqueStream();
  const troubles: string[] = [];
  const seen = (pattern: RegExp): boolean => troubles.some((trouble) => pattern.test(trouble));
  let [aborted, checkpoints, isOver] = [false, 0, false];
  const follow = (): void => {
    const checkpointReached = (): void => void checkpoints++;
    const filter = streamNameFilter({ prefixes: ['contract-'], maxSearchWindow: 1, checkpointReached });
    const subscription = client.subscribeToAll({ filter });
    subscription.on('data', () => undefined);
    subscription.on('error', (error) => {
      aborted ||= error instanceof TimeoutError && error.message.includes('resubscription required');
      if (!isOver) setTimeout(follow, 50);
    });
  };
  follow();
  const appends = new AppendChannel(client);
  let appended = 0;
  while (!(aborted && seen(/Server Is Not Ready/) && seen(/before the answer/) && seen(/CANCELLED|closed|reset/i))) {
    const event = testEvent(appended);
    for (let done = false; !done;) {
      done = await appends.append(stream, [event], appended - 1, APPEND_TIMEOUT_MS).then(
        () => true,
        (error: unknown) => {
          troubles.push(inspect(error));
          return false;
        },
      );
      await new Promise((later) => setTimeout(later, 20));
    }
    appended += 1;
  }
  isOver = true;
  await store.stopServer();
  await store.startServer();
  const expected = Array.from({ length: appended }, (_, n) => n);
  expect(numbers(await collect(client.readStream(stream)))).toEqual(expected);
  expect(checkpoints).toBe(0);
});
