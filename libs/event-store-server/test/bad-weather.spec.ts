/** What clients see of a bad day, by the official client. */
import { EventStoreDBClient, streamNameFilter, TimeoutError } from '@eventstore/db-client';
import { collect, numbers, testEvent, uniqueStream } from '../../../test/contract/contract-store';
import { EmbeddedStore } from '../../../test/support/embedded-stores';

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
  let appended = 0;
  while (!(aborted && seen(/Server Is Not Ready/) && seen(/before the answer/) && seen(/CANCELLED|closed|reset/i))) {
    const event = testEvent(appended);
    for (let done = false; !done;) {
      const expectedRevision = appended === 0 ? 'no_stream' : BigInt(appended - 1);
      done = await client.appendToStream(stream, event, { expectedRevision }).then(
        ({ success }) => success,
        (error: unknown) => {
          troubles.push(String(error));
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
