import { jsonEvent, MaxAppendSizeExceededError } from '@eventstore/db-client';
import { Unavailable } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, impatient, type LossyProxy, until } from '@app/testing/event-store';
import { AppendChannel, connectEventStore, encodeEvent, type EventStore } from '../src';

let embedded: EmbeddedStore;
let store: EventStore;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
});
afterAll(() => embedded.stop());

const newStream = () => `counter-${uuidV7()}`;
const encoded = (...numbers: number[]) => numbers.map((n) => encodeEvent(counterKind, counted(n), someCause()));

describe('append', () => {
  it('answers the revision and the position of its last event', async () => {
    const stream = newStream();
    expect(await store.append(stream, encoded(1, 2), -1)).toMatchObject({ kind: 'appended', revision: 1 });
    const appended = await store.append(stream, encoded(3), 1);
    const events = await store.readStream(stream, 0, 10);
    expect(events.map(({ revision, payload }) => [revision, payload['n']])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(appended).toEqual({ kind: 'appended', revision: 2, position: events[2]?.position });
  });

  it.each([-1, 0, 2, 7])(
    'conflicts at revision %i of a stream whose last is 1, and appends nothing',
    async (expected) => {
      const stream = newStream();
      await store.append(stream, encoded(1, 2), -1);
      expect(await store.append(stream, encoded(3, 4), expected)).toEqual({ kind: 'conflict' });
      expect(await store.lastRevision(stream)).toBe(1);
    },
  );

  it('has one winner of many', async () => {
    const stream = newStream();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => store.append(stream, encoded(n), -1)));
    expect(answers.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
    expect(await store.lastRevision(stream)).toBe(0);
  });
});

it('sends 5,000 appends that wait for their answers; what is refused then was not appended', async () => {
  const client = connectEventStore(embedded.address);
  const channel = new AppendChannel(client);
  await channel.append(newStream(), encoded(0), -1, 10_000);
  const streams = Array.from({ length: 5_100 }, newStream);
  const asked = await Promise.allSettled(streams.map((stream, n) => channel.append(stream, encoded(n), -1, 60_000)));
  const refused = streams.filter((_, index) => asked[index]?.status === 'rejected');
  expect(refused).toHaveLength(100);
  for (const stream of refused) expect(await store.lastRevision(stream)).toBe(-1);
  await client.dispose();
});

describe('an append that is too large', () => {
  const large = (bytes: number) => [jsonEvent({ type: 'large', data: { text: 'x'.repeat(bytes) } })];

  it.each([
    ['one event of 2 MiB', large(2 * 1024 * 1024)],
    ['many that are 3 MiB together, sent in parts', Array.from({ length: 30 }, () => large(100 * 1024)).flat()],
  ])('is refused (%s), and takes along none of those beside it', async (_, events) => {
    const [refused, ...others] = Array.from({ length: 11 }, newStream);
    const beside = others.map((stream, n) => store.append(stream, encoded(n), -1));
    await expect(store.append(refused ?? '', events, -1)).rejects.toBeInstanceOf(MaxAppendSizeExceededError);
    expect((await Promise.all(beside)).map(({ kind }) => kind)).toEqual(others.map(() => 'appended'));
    expect(await store.lastRevision(refused ?? '')).toBe(-1);
  });

  it('is not one of just under the limit', async () => {
    const stream = newStream();
    const events = Array.from({ length: 9 }, () => large(110 * 1024)).flat();
    expect(await store.append(stream, events, -1)).toMatchObject({ kind: 'appended', revision: 8 });
  });
});

describe('an answer that is lost', () => {
  let proxy: LossyProxy;
  let behindProxy: EventStore;
  beforeAll(async () => {
    proxy = await embedded.proxy();
    behindProxy = embedded.connect({ proxy });
    await behindProxy.append(newStream(), encoded(0), -1);
  });

  it.each([-1, 1])(
    'is asked for with the same bytes: one event, its original place (expected %i)',
    async (expected) => {
      const stream = newStream();
      if (expected === 1) await store.append(stream, encoded(8, 9), -1);
      const events = encoded(1, 2, 3);
      proxy.loseAnswers();
      const appending = behindProxy.append(stream, events, expected);
      await until(async () => (await store.lastRevision(stream)) === expected + 3);
      proxy.cut();
      const stored = (await store.readStream(stream, expected + 1, 10)).map(({ id, position }) => ({ id, position }));
      expect(await appending).toEqual({ kind: 'appended', revision: expected + 3, position: stored[2]?.position });
      expect(stored.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
      expect(await store.lastRevision(stream)).toBe(expected + 3);
    },
  );

  it('is still its own when others have appended in the meantime', async () => {
    const stream = newStream();
    proxy.loseAnswers();
    const appending = behindProxy.append(stream, encoded(1), -1);
    await until(async () => (await store.lastRevision(stream)) === 0);
    await store.append(stream, encoded(2), 0);
    proxy.cut();
    expect(await appending).toMatchObject({ kind: 'appended', revision: 0 });
    expect(await store.lastRevision(stream)).toBe(1);
  });

  it('of a read that never ends is unavailable in the end', async () => {
    const impatiently = embedded.connect({ proxy, limits: impatient });
    proxy.loseAnswers();
    await expect(impatiently.readStream(newStream(), 0, 10)).rejects.toThrow(Unavailable);
    expect(await impatiently.health.answers(50)).toBe(false);
    proxy.cut();
    await until(() => impatiently.health.answers(1_000));
  });
});

describe('reads', () => {
  it('answer nothing of a stream that does not exist', async () => {
    const stream = newStream();
    expect([await store.readStream(stream, 0, 10), await store.lastRevision(stream)]).toEqual([[], -1]);
  });

  it('answer a page from a revision on, and nothing beyond the end', async () => {
    const stream = newStream();
    await store.append(stream, encoded(0, 1, 2, 3, 4), -1);
    const page = async (from: number, max: number) =>
      (await store.readStream(stream, from, max)).map(({ revision }) => revision);
    expect([await page(0, 2), await page(3, 10), await page(5, 10)]).toEqual([[0, 1], [3, 4], []]);
  });

  async function appended(stream: string, expectedRevision = -1): Promise<number> {
    const done = await store.append(stream, encoded(1), expectedRevision);
    if (done.kind === 'conflict') throw new Error('conflict');
    return done.position;
  }

  it('know the end of the store, which is an event of whatever kind', async () => {
    const stream = newStream();
    const position = await appended(stream);
    expect(await store.endPosition()).toBe(position);
    await store.client.setStreamMetadata(stream, { maxCount: 100 });
    expect(await store.endPosition()).toBeGreaterThan(position);
  });

  it('know the end of some categories, whatever came after it', async () => {
    const position = await appended(newStream());
    const later = `later-${uuidV7()}`;
    // More than are read at a time.
    for (let n = 0; n < 70; n += 1) await appended(later, n - 1);
    const end = await store.endPosition();
    expect(await store.endPositionOf(['counter'])).toBe(position);
    expect(await store.endPositionOf(['counter', 'later'])).toBe(end);
    expect(await store.endPositionOf(['count'], position - 1)).toBe(0);
    // Nothing is newer than what the caller has seen.
    expect(await store.endPositionOf(['counter'], position)).toBe(0);
    expect(await store.endPositionOf(['counter'], position - 1)).toBe(position);
  });

  it('find the end of an empty store at 0', async () => {
    const empty = await EmbeddedStore.start();
    expect(await empty.connect().endPosition()).toBe(0);
    expect(await empty.connect().endPositionOf(['counter'])).toBe(0);
    await empty.stop();
  });
});

describe('a store that stays away', () => {
  it('is unavailable to appends, once they have been tried for a while, and to reads', async () => {
    const stream = newStream();
    const impatiently = embedded.connect({ limits: impatient });
    await embedded.stopServer();
    const startedMs = performance.now();
    await expect(impatiently.append(stream, encoded(1), -1)).rejects.toThrow(Unavailable);
    expect(performance.now() - startedMs).toBeGreaterThan(390);
    await expect(impatiently.readStream(stream, 0, 1)).rejects.toThrow(Unavailable);
    await expect(impatiently.lastRevision(stream)).rejects.toThrow(Unavailable);
    await expect(impatiently.endPosition()).rejects.toThrow(Unavailable);
    expect(await impatiently.health.answers(500)).toBe(false);
    await embedded.startServer();
    await until(() => store.health.answers(500));
    expect(await store.append(stream, encoded(1), -1)).toMatchObject({ kind: 'appended', revision: 0 });
  });

  it('is waited for when it comes back in time', async () => {
    const stream = newStream();
    await embedded.stopServer();
    const appending = store.append(stream, encoded(1), -1);
    await embedded.startServer();
    expect(await appending).toMatchObject({ kind: 'appended', revision: 0 });
  });
});
