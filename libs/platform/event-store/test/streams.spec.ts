import { Unavailable } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, impatient } from '@app/testing/event-store';
import { TooBusy } from '../src';
import { CountingProcess } from './counting-process';

let embedded: EmbeddedStore;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
});
afterAll(() => embedded.stop());

const newProcess = () => new CountingProcess(embedded.connect());

describe('an accepted command', () => {
  it('answers its events, the state after them, and where they are', async () => {
    const one = newProcess();
    const id = uuidV7();
    const done = await one.count(id, 5);
    const [stored] = await one.store.readStream(`counter-${id}`, 0, 1);
    expect(done).toMatchObject({ ok: true, value: { revision: 0, position: stored?.position } });
    expect(done).toMatchObject({
      value: { events: [{ type: 'counter.counted', n: 5 }], state: { counted: [5], lastNote: 'note 5' } },
    });
    expect(JSON.stringify(stored?.payload)).not.toContain('note');
  });

  it('is decided on the cached state: without a read', async () => {
    const one = newProcess();
    const id = uuidV7();
    await one.count(id, 1);
    const reads = jest.spyOn(one.store, 'readStream');
    for (const n of [2, 3, 4]) expect(await one.count(id, n)).toMatchObject({ ok: true, value: { revision: n - 1 } });
    expect(reads).not.toHaveBeenCalled();
  });

  it('is decided again when another process was faster', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    await one.count(id, 1);
    await other.count(id, 2);
    expect(await one.count(id, 3)).toMatchObject({ ok: true, value: { revision: 2, state: { counted: [1, 2, 3] } } });
  });

  it('with nothing to do appends nothing and has no position', async () => {
    const one = newProcess();
    const id = uuidV7();
    await one.count(id, 1);
    expect(await one.count(id, 1)).toMatchObject({ ok: true, value: { events: [], position: null, revision: 0 } });
    expect(await one.numbersIn(id)).toEqual([1]);
  });
});

describe('a command that is to be visible', () => {
  it('is answered when the read models have passed what it appended; one that is refused waits for nothing', async () => {
    const one = newProcess();
    const id = uuidV7();
    const counted = await one.count(id, 1, { visible: true });
    await one.count(id, 2);
    await one.count(id, 2, { visible: true });
    await one.give(id, { type: 'Close' });
    expect(await one.count(id, 3, { visible: true })).toMatchObject({ ok: false });
    expect(one.awaited).toEqual([counted.ok && counted.value.position, null]);
  });

  it('lets the next command of the stream go ahead meanwhile', async () => {
    const one = newProcess();
    const id = uuidV7();
    let pass = () => {};
    jest.spyOn(one.readModels, 'waitForProjection').mockReturnValue(new Promise((resolve) => (pass = resolve)));
    const visible = one.count(id, 1, { visible: true });
    expect(await one.count(id, 2)).toMatchObject({ ok: true, value: { revision: 1 } });
    pass();
    expect(await visible).toMatchObject({ ok: true, value: { revision: 0 } });
  });
});

describe('a refusal, and nothing to do', () => {
  it('are only answered on a state that was read after the command came', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    await one.count(id, 1);
    await one.give(id, { type: 'Close' });
    await other.states.fresh(counterKind, id);
    const reads = jest.spyOn(other.store, 'readStream');
    const refused = await other.count(id, 9);
    expect(refused).toMatchObject({ ok: false, refusal: { reason: 'run_not_active' }, state: { counted: [1] } });
    expect(await other.give(id, { type: 'Close' })).toMatchObject({ ok: true, value: { events: [] } });
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('are not answered from a cache that another process has overtaken', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    await one.count(id, 1);
    await other.give(id, { type: 'Close' });
    // By its own cache, `one` would accept this; the append's conflict shows that the stream is closed.
    expect(await one.count(id, 2)).toMatchObject({ ok: false, refusal: { reason: 'run_not_active' } });
  });
});

describe('a new stream', () => {
  it('is not read before the first attempt', async () => {
    const one = newProcess();
    const reads = jest.spyOn(one.store, 'readStream');
    expect(await one.count(uuidV7(), 1, { read: 'assume-new' })).toMatchObject({ ok: true, value: { revision: 0 } });
    expect(reads).not.toHaveBeenCalled();
  });

  it('that exists after all is found by the append', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    await other.count(id, 1);
    expect(await one.count(id, 1, { read: 'assume-new' })).toMatchObject({
      ok: true,
      value: { events: [], revision: 0 },
    });
    expect(await one.count(id, 2, { read: 'assume-new' })).toMatchObject({
      ok: true,
      value: { state: { counted: [1, 2] } },
    });
  });
});

describe('a command that may lose so many races', () => {
  it('gives up after the last of them, and has recorded nothing', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    const append = one.store.append.bind(one.store);
    let faster = 0;
    jest.spyOn(one.store, 'append').mockImplementation(async (...asked) => {
      await other.count(id, (faster += 1));
      return append(...asked);
    });
    const given = one.give(id, { type: 'Count', n: 9 }, { racesMax: 5 });
    await expect(given).rejects.toMatchObject({ constructor: TooBusy, lostRaces: 5 });
    expect(await other.numbersIn(id)).toEqual([1, 2, 3, 4, 5]);
  });

  it('says how many it has lost where its time is over before', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    const append = one.store.append.bind(one.store);
    const now = performance.now.bind(performance);
    jest.spyOn(one.store, 'append').mockImplementation(async (...asked) => {
      await other.count(id, 1);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
      return append(...asked);
    });
    try {
      const given = one.give(id, { type: 'Count', n: 9 }, { racesMax: 5 });
      await expect(given).rejects.toMatchObject({ constructor: TooBusy, lostRaces: 1 });
    } finally {
      jest.spyOn(performance, 'now').mockRestore();
    }
  });
});

describe('many commands at once', () => {
  it('200 by two processes on one stream: none is lost and none doubled', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    const commands = Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? one : other).count(id, n));
    const done = await Promise.all(commands);
    expect(done.every((outcome) => outcome.ok && outcome.value.events.length === 1)).toBe(true);
    const numbers = await one.numbersIn(id);
    expect(numbers).toHaveLength(200);
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 200 }, (_, n) => n)));
    for (const { states } of [one, other]) {
      expect((await states.fresh(counterKind, id)).state.counted).toEqual(numbers);
    }
  });

  it('that are the same come to one event', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    const done = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).count(id, 7)));
    expect(done.every(({ ok }) => ok)).toBe(true);
    expect(await one.numbersIn(id)).toEqual([7]);
  });

  it('beyond what may wait for one stream are told to come back', async () => {
    const one = newProcess();
    const decide = () => {
      throw new Error('a defect, so that nothing takes long');
    };
    const brokenKind = { ...counterKind, decider: { ...counterKind.decider, decide } };
    const id = uuidV7();
    const give = () => one.streams.decide(brokenKind, id, { type: 'Close' }, someCause(), { read: 'assume-new' });
    const outcomes = await Promise.allSettled(Array.from({ length: 2_010 }, give));
    const refused = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unavailable,
    );
    // One runs, 2,000 wait.
    expect([outcomes.length, refused.length]).toEqual([2_010, 9]);
  });
});

describe('a store that does not answer', () => {
  it('makes the command unavailable, and the state in doubt is forgotten', async () => {
    const one = new CountingProcess(embedded.connect({ limits: impatient }));
    const id = uuidV7();
    await one.count(id, 1);
    await embedded.stopServer();
    await expect(one.count(id, 2)).rejects.toThrow(Unavailable);
    expect(one.states.peek(counterKind, id)).toBeNull();
    await embedded.startServer();
    expect(await one.count(id, 2)).toMatchObject({ ok: true, value: { state: { counted: [1, 2] } } });
    expect(await one.numbersIn(id)).toEqual([1, 2]);
  });
});
