import { accept, asId, type Decider, type Instant, type JsonObject, type Personal, type UserId } from '@app/kernel';
import { NoTracing } from '@app/runtime';
import { KeyDestroyed, KeyRing, sealedForUser, userKeyId } from '@app/sealing';
import { instant, MemoryKeys, someCause } from '@app/testing/deciders';
import { EmbeddedStore } from '@app/testing/event-store';
import { v7 as uuidV7 } from 'uuid';
import { decodeEvent, encodeEvent, FoldedStates, hasOpenWords, Streams, streamName } from '../src';
import type { EventStore, StreamKind } from '../src';
import { KeptSnapshots } from './kept-snapshots';

/** The smallest domain with words of a person: a diary with a title, and pages with a private note. */
interface Written {
  readonly type: 'diary.written';
  readonly at: Instant;
  readonly userId: UserId;
  readonly title: Personal<string>;
  readonly page: { readonly number: number; readonly text: Personal<JsonObject> };
  readonly note: Personal<string>;
}
type Write = Omit<Written, 'type'>;

interface Diary {
  readonly userId: UserId | null;
  readonly titles: readonly Personal<string>[];
}

const decider: Decider<Diary, Write, Written> = {
  initialState: { userId: null, titles: [] },
  decide: (command) => accept({ type: 'diary.written', ...command }),
  evolve: ({ titles }, { userId, title }) => ({ userId, titles: [...titles, title] }),
};

const diaryKind: StreamKind<Diary, Write, Written> = {
  category: 'diary',
  decider,
  privateMembers: { 'diary.written': ['note'] },
  members: {
    'diary.written': {
      userId: 'clear',
      title: 'personal',
      page: { number: 'clear', text: 'personal' },
      note: 'personal',
    },
  },
  sealedFor: (_, { userId }) => sealedForUser(userId),
  stateVersion: 1,
};

const gone = { erased: true };
const words = ['Ada Lovelace', 'engine of numbers', 'tell nobody'];
const userId = asId<UserId>(uuidV7());
const write: Write = {
  at: instant('2026-03-01T10:00Z'),
  userId,
  title: 'Ada Lovelace',
  page: { number: 7, text: { lines: ['engine of numbers'] } },
  note: 'tell nobody',
};

let embedded: EmbeddedStore;
const keys = new MemoryKeys();
const rings: KeyRing[] = [];
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
});
afterAll(async () => {
  for (const ring of rings) ring.close();
  await embedded.stop();
});

/** A process with a memory of keys of its own. */
function newProcess(): { ring: KeyRing; store: EventStore; states: FoldedStates; streams: Streams } {
  const ring = new KeyRing(keys);
  rings.push(ring);
  const store = embedded.connect({ keys: ring });
  const states = new FoldedStates(store, new KeptSnapshots());
  const readModels = { waitForProjection: () => Promise.resolve() };
  return { ring, store, states, streams: new Streams(store, states, readModels, new NoTracing()) };
}

const textsIn = (value: unknown) => words.filter((word) => JSON.stringify(value).includes(word));

it('words of a person are nowhere in the stored bytes, and every reader of the stream gets them', async () => {
  const [{ streams }, other] = [newProcess(), newProcess()];
  const id = uuidV7();
  const done = await streams.decide(diaryKind, id, write, someCause());
  const stream = streamName(diaryKind, id);
  const [raw] = await other.store.readStreamRaw(stream, 0, 1);
  expect(textsIn(`${String(raw?.data)}${String(raw?.metadata)}`)).toEqual([]);
  expect(JSON.parse(String(raw?.data))).toMatchObject({ userId, page: { number: 7 } });

  const [stored] = await other.store.readStream(stream, 0, 1);
  expect(stored?.payload).toMatchObject({ title: 'Ada Lovelace', page: { number: 7, text: write.page.text } });
  expect(textsIn(stored?.payload)).toEqual(['Ada Lovelace', 'engine of numbers']);
  expect(stored === undefined ? null : decodeEvent<Written>(diaryKind, stored).event).toEqual({
    type: 'diary.written',
    ...write,
  });
  expect((await other.store.readStreamBackwards(stream, 0, 1))[0]?.payload).toEqual(stored?.payload);
  expect(done).toMatchObject({ ok: true, value: { events: [write], stored: [{ payload: stored?.payload }] } });
  expect((await other.states.fresh(diaryKind, id)).state).toEqual({ userId, titles: ['Ada Lovelace'] });
});

it('a page of many streams has them sealed, and opens with one look at the keys', async () => {
  const { streams } = newProcess();
  const people = Array.from({ length: 5 }, () => asId<UserId>(uuidV7()));
  const after = await embedded.connect().endPosition();
  for (const person of people) await streams.decide(diaryKind, uuidV7(), { ...write, userId: person }, someCause());
  const { store } = newProcess();
  const { events } = await store.readCategories(['diary'], after, 100);
  expect([events.length, textsIn(events)]).toEqual([5, []]);
  keys.reads = 0;
  const opened = await store.open([...events]);
  expect([opened.map(({ payload }) => payload['title']), keys.reads]).toEqual([people.map(() => 'Ada Lovelace'), 1]);
  await store.open([...events]);
  expect(keys.reads).toBe(1);
});

it('once the key is destroyed the words are erased, the rest stays, and nothing more is sealed', async () => {
  const [{ streams }, other] = [newProcess(), newProcess()];
  const [id, person] = [uuidV7(), asId<UserId>(uuidV7())];
  await streams.decide(diaryKind, id, { ...write, userId: person }, someCause());
  keys.destroy(userKeyId(person));
  const stream = streamName(diaryKind, id);
  const [stored] = await other.store.readStream(stream, 0, 1);
  expect(stored).toMatchObject({
    payload: { userId: person, title: gone, page: { number: 7, text: gone } },
    metadata: { private: { note: gone } },
  });
  expect((await other.states.fresh(diaryKind, id)).state).toEqual({ userId: person, titles: [gone] });
  const another = { ...write, userId: person };
  await expect(other.streams.decide(diaryKind, id, another, someCause())).rejects.toThrow(KeyDestroyed);
  expect(await other.store.lastRevision(stream)).toBe(0);
});

it('what ends something is recorded without its words once the key is destroyed', async () => {
  const endingKind = { ...diaryKind, category: 'ending', withoutWords: ['diary.written'] as const };
  const [{ streams }, other] = [newProcess(), newProcess()];
  const [id, person] = [uuidV7(), asId<UserId>(uuidV7())];
  const end = { ...write, userId: person };
  await streams.decide(endingKind, id, end, someCause());
  keys.destroy(userKeyId(person));
  expect(await other.streams.decide(endingKind, id, end, someCause())).toMatchObject({ ok: true });
  const [, raw] = await other.store.readStreamRaw(streamName(endingKind, id), 0, 2);
  expect(JSON.parse(String(raw?.data))).toMatchObject({ userId: person, title: gone, page: { number: 7, text: gone } });
  expect(JSON.parse(String(raw?.metadata))).toMatchObject({
    private: { note: gone },
    sealed: { key: userKeyId(person), members: [] },
  });
  expect(textsIn(`${String(raw?.data)}${String(raw?.metadata)}`)).toEqual([]);
  expect((await newProcess().states.fresh(endingKind, id)).state).toEqual({ userId: person, titles: [gone, gone] });
});

it('a process forgets the words of one user, and keeps none of them that it reads soon after', async () => {
  const [{ streams }, other] = [newProcess(), newProcess()];
  const [id, person, ofOther] = [uuidV7(), asId<UserId>(uuidV7()), uuidV7()];
  await streams.decide(diaryKind, id, { ...write, userId: person }, someCause());
  await streams.decide(diaryKind, ofOther, write, someCause());
  for (const one of [id, ofOther]) await other.states.fresh(diaryKind, one);
  other.states.forgetUser(person);
  expect([other.states.peek(diaryKind, id), other.states.peek(diaryKind, ofOther)?.revision]).toEqual([null, 0]);
  // A fold that began before, with the key in memory, ends after.
  expect((await other.states.fresh(diaryKind, id)).state.titles).toEqual(['Ada Lovelace']);
  expect(other.states.peek(diaryKind, id)).toBeNull();
  other.states.forgetAll();
  expect(other.states.peek(diaryKind, ofOther)).toBeNull();
});

it('words in clear are those that an earlier version wrote', async () => {
  const plain = embedded.connect();
  const encoded = encodeEvent(diaryKind, { type: 'diary.written', ...write }, someCause());
  const id = uuidV7();
  await plain.append(streamName(diaryKind, id), [encoded], -1);
  await newProcess().streams.decide(diaryKind, id, write, someCause());
  const events = await plain.readStream(streamName(diaryKind, id), 0, 2);
  expect(events.map((stored) => hasOpenWords(diaryKind.members, stored))).toEqual([true, false]);
  const [first] = events;
  const empty = first && { ...first, payload: { ...first.payload, title: null, page: { number: 7, text: gone } } };
  const without = empty && { ...empty, metadata: { ...empty.metadata, private: {} } };
  expect(without && hasOpenWords(diaryKind.members, without)).toBe(false);
  const older = without && { ...without, payload: { ...without.payload, motto: 'of a member that is no more' } };
  expect(older && hasOpenWords(diaryKind.members, older)).toBe(true);
});

it('a ciphertext in another event, or under another name, does not open: the words count as erased', async () => {
  const { streams, store } = newProcess();
  const id = uuidV7();
  await streams.decide(diaryKind, id, write, someCause());
  const sealed = embedded.connect();
  const [first] = await sealed.readStream(streamName(diaryKind, id), 0, 1);
  if (first === undefined) throw new Error('the event is not there');
  const moved = { ...first, payload: { ...first.payload, title: first.metadata.private?.['note'] ?? null } };
  expect((await store.open([moved]))[0]?.payload).toMatchObject({ title: gone, page: { text: write.page.text } });
  const elsewhere = { ...first, id: uuidV7() };
  expect((await store.open([elsewhere]))[0]?.payload).toMatchObject({ title: gone, page: { text: gone } });
});
