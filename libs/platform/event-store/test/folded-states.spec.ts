import { jsonEvent } from '@eventstore/db-client';
import { v7 as uuidV7 } from 'uuid';
import { DamagedStream } from '@app/kernel';
import { counted, counterKind, someCause, type CounterEvent, type CounterState } from '@app/testing/deciders';
import { EmbeddedStore } from '@app/testing/event-store';
import { encodeEvent, FoldedStates, type EventStore } from '../src';
import { KeptSnapshots } from './kept-snapshots';

let embedded: EmbeddedStore;
let store: EventStore;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
});
afterAll(() => embedded.stop());
afterEach(() => jest.restoreAllMocks());

/** Appends events that count up from `first`. */
async function append(id: string, first: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => encodeEvent(counterKind, counted(first + n), someCause()));
  expect(await store.append(`counter-${id}`, events, first - 1)).toMatchObject({ kind: 'appended' });
}

const from = (states: FoldedStates, id: string) => states.fresh(counterKind, id);
const withoutSnapshots = () => new FoldedStates(store, new KeptSnapshots());

describe('folded states', () => {
  it('begin with the initial state, at revision -1', async () => {
    const states = withoutSnapshots();
    const id = uuidV7();
    expect(states.peek(counterKind, id)).toBeNull();
    expect(await from(states, id)).toEqual({ state: counterKind.decider.initialState, revision: -1 });
  });

  it('are those of every event, whichever way they were reached', async () => {
    const [stepwise, id] = [withoutSnapshots(), uuidV7()];
    for (const first of [0, 3, 4]) {
      await append(id, first, first === 0 ? 3 : 1);
      await from(stepwise, id);
    }
    const { state, revision } = await from(withoutSnapshots(), id);
    expect([state.counted, revision, state.lastNote]).toEqual([[0, 1, 2, 3, 4], 4, 'note 4']);
    expect(await from(stepwise, id)).toEqual({ state, revision });
  });

  it('read only what is new', async () => {
    const [states, id] = [withoutSnapshots(), uuidV7()];
    await append(id, 0, 5);
    await from(states, id);
    await append(id, 5, 1);
    const reads = jest.spyOn(store, 'readStream');
    expect((await from(states, id)).revision).toBe(5);
    expect(reads.mock.calls.map(([, revision]) => revision)).toEqual([5]);
  });
});

describe('a stream with an event that its kind cannot be folded from', () => {
  const refuses = () => {
    throw new Error('unreachable');
  };
  const strict = {
    ...counterKind,
    decider: {
      ...counterKind.decider,
      evolve: (state: CounterState, event: CounterEvent) =>
        event.type !== 'counter.closed' && typeof event.n !== 'number'
          ? refuses()
          : counterKind.decider.evolve(state, event),
    },
  };
  const lifting = { ...counterKind, upcasters: { 'counter.closed': [refuses] } };

  it.each([
    ['evolve', strict, 'counter.counted'],
    ['an upcaster', lifting, 'counter.closed'],
  ])('is damaged where %s throws, and is listed', async (_, kind, type) => {
    const [states, id] = [withoutSnapshots(), uuidV7()];
    await append(id, 0, 2);
    const { metadata } = encodeEvent(counterKind, counted(2), someCause());
    const foreign = jsonEvent({ type, data: {}, metadata });
    await store.append(`counter-${id}`, [foreign], 1);
    const damage = { stream: `counter-${id}`, damage: 'foreign', from: 2 };
    await expect(states.fresh(kind, id)).rejects.toMatchObject(damage);
    expect(store.damaged.of(`counter-${id}`)).toMatchObject(damage);
    await expect(states.cached(kind, id)).rejects.toBeInstanceOf(DamagedStream);
  });

  it('holds up no other', async () => {
    const [states, id] = [withoutSnapshots(), uuidV7()];
    await append(id, 0, 2);
    expect((await states.fresh(strict, id)).revision).toBe(1);
  });
});

describe('folded states of a small share', () => {
  /** Space for some ten states with a text like `textOf`. */
  const share = 100_000;
  const textOf = (length: number) => 'x'.repeat(length);
  const small = () => new FoldedStates(store, new KeptSnapshots(), share);
  const keep = (states: FoldedStates, id: string, revision: number, lastNote: string) =>
    states.keep(counterKind, id, { state: { ...counterKind.decider.initialState, lastNote }, revision });
  const keptOf = (states: FoldedStates, ids: readonly string[]) =>
    ids.filter((id) => states.peek(counterKind, id) !== null);
  const ids = Array.from({ length: 40 }, (_, n) => `stream-${n}`);

  it('are kept by their bytes, and those go that were used least lately', () => {
    const states = small();
    for (const id of ids) {
      keep(states, id, 0, textOf(4_000));
      states.peek(counterKind, 'stream-0');
    }
    const kept = keptOf(states, ids);
    expect(kept[0]).toBe('stream-0');
    expect(kept.slice(1)).toEqual(ids.slice(1 - kept.length));
    expect(kept.length * 4_000 * 2).toBeLessThanOrEqual(share);
    expect(kept.length).toBeGreaterThan(8);
  });

  it('make room for one that grows', () => {
    const states = small();
    const few = ids.slice(0, 10);
    for (const id of few) keep(states, id, 0, textOf(4_000));
    expect(keptOf(states, few)).toEqual(few);
    for (let revision = 1; revision <= 40; revision += 1) keep(states, 'stream-9', revision, textOf(1_000 * revision));
    expect(keptOf(states, few)).toEqual(['stream-7', 'stream-8', 'stream-9']);
  });

  it('are not kept where one alone is too large, and found again by reading', async () => {
    const [states, id] = [small(), uuidV7()];
    await append(id, 0, 5);
    const whole = await from(states, id);
    keep(states, id, 5, textOf(share));
    expect(states.peek(counterKind, id)).toBeNull();
    expect(await from(states, id)).toEqual(whole);
  });

  it('are looked at for what an append adds, not for all that there is', () => {
    const states = new FoldedStates(store, new KeptSnapshots());
    let looks = 0;
    const state = {
      ...counterKind.decider.initialState,
      get lastNote() {
        looks += 1;
        return null;
      },
    };
    for (let revision = 0; revision < 10_000; revision += 1) states.keep(counterKind, 'long', { state, revision });
    expect(looks).toBeLessThan(100);
  });
});

describe('snapshots', () => {
  /** A stream whose snapshot is some events behind its end. */
  async function snapshotAndTail(): Promise<{ id: string; snapshots: KeptSnapshots }> {
    const [snapshots, id] = [new KeptSnapshots(), uuidV7()];
    await append(id, 0, 620);
    await from(new FoldedStates(store, snapshots), id);
    await append(id, 620, 25);
    return { id, snapshots };
  }

  it('are taken every 500 events, not for every event', async () => {
    const [snapshots, id] = [new KeptSnapshots(), uuidV7()];
    const states = new FoldedStates(store, snapshots);
    for (let first = 0; first < 1_200; first += 100) {
      await append(id, first, 100);
      await from(states, id);
    }
    expect(snapshots.saved.map(({ revision, version }) => [revision, version])).toEqual([
      [499, 1],
      [999, 1],
    ]);
  });

  it('with the events after them make the same state as all events, also after the cache lost it', async () => {
    const { id, snapshots } = await snapshotAndTail();
    const whole = await from(withoutSnapshots(), id);
    const states = new FoldedStates(store, snapshots);
    const reads = jest.spyOn(store, 'readStream');
    expect(await from(states, id)).toEqual(whole);
    expect(reads.mock.calls.map(([, revision]) => revision)).toEqual([0, 620]); // also the first event, because a snapshot must not hide its loss
    states.forget(counterKind, id);
    expect(await from(states, id)).toEqual(whole);
    expect(whole).toMatchObject({ revision: 644, state: { lastNote: 'note 644' } });
  });

  it('of another state version are ignored', async () => {
    const { id, snapshots } = await snapshotAndTail();
    const nextKind = { ...counterKind, stateVersion: 2 };
    const reads = jest.spyOn(store, 'readStream');
    const folded = await new FoldedStates(store, snapshots).fresh(nextKind, id);
    expect(folded).toEqual(await from(withoutSnapshots(), id));
    expect(reads.mock.calls[0]?.[1]).toBe(0);
    expect(snapshots.saved.map(({ version }) => version)).toEqual([1, 2]);
  });

  it('are as good as needed for streams of several pages', async () => {
    const [snapshots, id] = [new KeptSnapshots(), uuidV7()];
    for (const first of [0, 900, 1_800]) await append(id, first, 900);
    const folded = await from(new FoldedStates(store, snapshots), id);
    expect([folded.revision, folded.state.counted.length]).toEqual([2_699, 2_700]);
    expect(await from(new FoldedStates(store, snapshots), id)).toEqual(folded);
  });
});
