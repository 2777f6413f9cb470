import type { ConversationId, UserId } from '@app/kernel';
import {
  type JournalApp,
  newConversationId,
  startJournalApp,
  startStores,
  StreamClient,
  type TestStores,
} from '@app/testing/journal';

/**
 * Conversations that are streamed concurrently. A real server takes 100 calls on a connection, as the embedded one does: with a
 * subscription for each stream, 50 clients of 150 saw nothing live, without any error (EventStoreDB 23.10.6). With `EVENTSTORE_URL` the
 * store is that one.
 */
const STREAMS = process.env['FIGURES'] === 'full' ? 2_000 : 100;
const FULL = 2_000;
const TIMEOUT_MS = 180_000 + STREAMS * 300;
const atOnce = 50;
const stalledEvents = 40;

let stores: TestStores;
let api: JournalApp;
let ada: { userId: UserId; headers: Record<string, string> };
const clients: StreamClient[] = [];
beforeAll(async () => {
  stores = await startStores(process.env['EVENTSTORE_URL']);
  api = await startJournalApp(stores, { STREAMS_PER_USER: '2500', STREAMS_PER_REPLICA: '2500' });
  ada = await api.user('ada');
});
afterAll(async () => {
  for (const client of clients) client.close();
  await api?.stop();
  await stores?.stop();
});

const pathOf = (id: ConversationId, rest: string) => `/v1/users/${ada.userId}/conversations/${id}/${rest}`;

async function inTurns<Item, Value>(items: readonly Item[], work: (item: Item) => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    values.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))));
  return values;
}

const seen = (count: number) => Promise.all(clients.map((client) => client.until(({ seqs }) => seqs.length >= count)));

it(
  `${STREAMS} of ${FULL} conversations are streamed at once, and each stream shows what happens`,
  async () => {
    const ids = Array.from({ length: STREAMS }, newConversationId);
    await inTurns(ids, (id) => stores.append(id, ada.userId, 1));
    clients.push(...(await inTurns(ids, (id) => StreamClient.open(api.port, pathOf(id, 'stream'), ada.headers))));
    await seen(2);
    await inTurns(ids, (id) => stores.append(id, ada.userId, 1));
    await seen(3);
    // Reads and appends are answered at the same time.
    const pages = await inTurns(ids, async (id) => {
      const response = await fetch(`http://127.0.0.1:${api.port}${pathOf(id, 'events')}`, { headers: ada.headers });
      const { data } = (await response.json()) as { data: unknown[] };
      return data.length;
    });
    expect(new Set(pages)).toEqual(new Set([3]));

    // A client that does not read is cut in the end, and delays none of the others meanwhile.
    const [stalled, ...others] = clients;
    stalled?.response.pause();
    const [stalledId, ...otherIds] = ids;
    if (stalledId === undefined) throw new Error('there is no conversation');
    for (let n = 0; n < stalledEvents; n += 1) await stores.append(stalledId, ada.userId, 1, 'x'.repeat(400_000));
    await inTurns(otherIds, (id) => stores.append(id, ada.userId, 1));
    await Promise.all(others.map((client) => client.until(({ seqs }) => seqs.length === 4)));
    for (const { seqs } of others) expect(seqs).toEqual([1, 2, 3, 4]);
  },
  TIMEOUT_MS,
);
