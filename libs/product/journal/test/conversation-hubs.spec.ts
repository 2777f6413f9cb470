import { conversationKind } from '@app/conversations';
import { EventStore, followCategories } from '@app/event-store';
import type { ConversationId } from '@app/kernel';
import { ConversationHubs } from '../src/conversation-hubs';
import type { FrameSink } from '../src/event-socket';
import { Journal } from '../src/journal';
import { WatchedCalls } from '@app/testing/event-store';
import { newConversationId, newUserId, startStores, type TestStores } from '@app/testing/journal';
import { until } from '@app/testing/until';

class Reader implements FrameSink {
  closed = false;
  readonly seqs: number[] = [];

  constructor(public after: number) {}

  write(bytes: Buffer): void {
    for (const [, seq] of bytes.toString().matchAll(/^id: (\d+)$/gm)) this.seqs.push(Number(seq));
  }

  end(): void {
    this.closed = true;
  }

  async waitForDrain(): Promise<void> {
    // It takes everything at once.
  }

  async got(count: number): Promise<number[]> {
    return until(`${count} events`, async () => (this.seqs.length >= count ? this.seqs : null));
  }
}

let stores: TestStores;
let journal: Journal;
let hubs: ConversationHubs;
beforeAll(async () => {
  stores = await startStores();
});
beforeEach(() => {
  journal = new Journal(stores.store, conversationKind);
  hubs = new ConversationHubs(stores.store, journal, conversationKind, stores.notifications);
});
afterEach(async () => {
  await hubs.onApplicationShutdown();
  jest.restoreAllMocks();
});
afterAll(() => stores?.stop());

const owner = newUserId();
const append = (id: ConversationId, count = 1) => stores.append(id, owner, count);

async function read(id: ConversationId, from: number) {
  const [seat, reader] = [await hubs.join(id), new Reader(from)];
  await seat.source.serve(reader);
  return { reader, leave: seat.leave };
}

it('one subscription brings everything to the hubs of all conversations, and ends with the last of them', async () => {
  const calls = await WatchedCalls.of(stores.store.tailClient);
  const ids = Array.from({ length: 30 }, newConversationId);
  await Promise.all(ids.map((id) => append(id)));
  const seats = await Promise.all(ids.map((id) => read(id, 0)));
  await Promise.all(ids.map((id) => append(id, 2)));
  for (const { reader } of seats) expect(await reader.got(4)).toEqual([1, 2, 3, 4]);
  expect(calls.subscriptions).toEqual({ opened: 1, open: 1 });
  await hubs.onApplicationShutdown();
  await until('the end of the subscription', async () => (calls.subscriptions.open === 0 ? true : null));
});

it('a hub whose first read is behind what the tail has brought misses nothing', async () => {
  const [id, watched] = [newConversationId(), newConversationId()];
  await append(id);
  await append(watched);
  // Another conversation has a stream, so the tail runs.
  const other = await read(watched, 0);
  await append(id, 3);
  await append(watched);
  await other.reader.got(3);
  // The answer of a cluster's node that does not have everything yet.
  jest.spyOn(journal, 'lastRevision').mockResolvedValueOnce(1);
  const { reader } = await read(id, 0);
  expect(await reader.got(5)).toEqual([1, 2, 3, 4, 5]);
});

it('readers of a hub that misses an event are sent back, lose nothing, and hold up nobody', async () => {
  const [broken, sound] = [newConversationId(), newConversationId()];
  await append(broken);
  await append(sound);
  const [cut, other] = [await read(broken, 0), await read(sound, 0)];
  const { source: hub } = await hubs.join(broken);
  jest.spyOn(hub, 'deliver').mockRejectedValueOnce(new Error('an event is missing'));
  await append(broken);
  await append(sound);
  expect(await other.reader.got(3)).toEqual([1, 2, 3]);
  await until('the end of the stream', async () => (cut.reader.closed ? true : null));
  const again = await read(broken, cut.reader.seqs.length);
  await append(broken);
  expect([...cut.reader.seqs, ...(await again.reader.got(2))]).toEqual([1, 2, 3, 4]);
  cut.leave();
  again.leave();
  expect(hubs.open).toBe(2);
});

it('readers come back when the subscription cannot be opened, and lose nothing', async () => {
  const id = newConversationId();
  await append(id);
  // Opens as many calls as the connection takes, so that no other can be opened.
  const stop = new AbortController();
  const { signal } = stop;
  const onBatch = async () => undefined;
  const others = Array.from({ length: 80 }, () =>
    followCategories(stores.store.tailClient, { categories: ['nothing'], after: 0, signal, onBatch }),
  );
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', hear);
  try {
    const cut = await read(id, 0);
    await until('the end of the stream', async () => (cut.reader.closed ? true : null));
    stop.abort();
    await Promise.all(others);
    const again = await read(id, cut.reader.seqs.length);
    await append(id);
    expect([...cut.reader.seqs, ...(await again.reader.got(3 - cut.reader.seqs.length))]).toEqual([1, 2, 3]);
    expect(unheard).toEqual([]);
  } finally {
    process.off('unhandledRejection', hear);
    stop.abort();
  }
});

it('a hub that is stopped while it starts takes nothing from the one that is started after it', async () => {
  const id = newConversationId();
  await append(id);
  let goOn: (revision: number) => void = () => undefined;
  jest.spyOn(journal, 'lastRevision').mockReturnValueOnce(new Promise((resolve) => (goOn = resolve)));
  const late = hubs.join(id);
  await until('its first read', async () => (jest.mocked(journal.lastRevision).mock.calls[0] ? true : null));
  // Simulates that its tail breaks meanwhile.
  hubs['beginAnew'](new Error('the tail broke'));
  const again = await read(id, 0);
  goOn(0);
  await late;
  await append(id, 2);
  expect(await again.reader.got(4)).toEqual([1, 2, 3, 4]);
});

it('nothing is begun when the store does not answer, and everything once it does', async () => {
  const id = newConversationId();
  await append(id);
  jest.spyOn(EventStore.prototype, 'endPosition').mockRejectedValueOnce(new Error('away'));
  await expect(hubs.join(id)).rejects.toThrow('away');
  expect(hubs.open).toBe(0);
  const { reader } = await read(id, 0);
  await append(id);
  expect(await reader.got(3)).toEqual([1, 2, 3]);
});
