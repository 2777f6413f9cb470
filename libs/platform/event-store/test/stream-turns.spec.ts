import { v7 as uuidV7 } from 'uuid';
import type { CounterCommand } from '@app/testing/deciders';
import { EmbeddedStore } from '@app/testing/event-store';
import { CountingProcess } from './counting-process';

let embedded: EmbeddedStore;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
});
afterAll(() => embedded.stop());

const newProcess = () => new CountingProcess(embedded.connect());

const count = (n: number): CounterCommand => ({ type: 'Count', n });
const upTo = (n: number) => Array.from({ length: n }, (_, index) => index);

describe('commands that wait for one stream', () => {
  it('are appended at once, in the order in which they came, and each is answered with its own events', async () => {
    const one = newProcess();
    const id = uuidV7();
    const appends = jest.spyOn(one.store, 'append');
    const decided = await one.giveAll(id, upTo(50).map(count));
    // The first does not wait; all others wait for it.
    expect(appends).toHaveBeenCalledTimes(2);
    expect(await one.numbersIn(id)).toEqual(upTo(50));
    const stored = await one.store.readStream(`counter-${id}`, 0, 100);
    decided.forEach((done, n) => {
      expect(done).toMatchObject({
        ok: true,
        value: { events: [{ n }], revision: n, state: { counted: upTo(n + 1) } },
      });
      expect(done).toMatchObject({
        value: { stored: [{ id: stored[n]?.id, revision: n, metadata: stored[n]?.metadata }] },
      });
    });
  });

  it('are decided each on what those before it have left', async () => {
    const one = newProcess();
    const id = uuidV7();
    await one.give(id, count(0));
    const decided = await one.giveAll(id, [count(1), count(2), count(2), { type: 'Close' }, count(3), count(1)]);
    expect(decided).toMatchObject([
      { ok: true, value: { revision: 1 } },
      { ok: true, value: { revision: 2 } },
      { ok: true, value: { events: [], stored: [], position: null, revision: 2 } },
      { ok: true, value: { revision: 3, state: { closed: true } } },
      { ok: false, refusal: { reason: 'run_not_active' }, state: { counted: [0, 1, 2], closed: true } },
      { ok: true, value: { events: [], position: null } },
    ]);
    expect(await one.numbersIn(id)).toEqual([0, 1, 2, undefined]);
  });

  it('are decided again, all of them, when another process was faster', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const id = uuidV7();
    await one.give(id, count(0));
    await other.give(id, count(3));
    const decided = await one.giveAll(id, [count(1), count(2), count(3), count(4)]);
    expect(decided.map((done) => done.ok && done.value.events.length)).toEqual([1, 1, 0, 1]);
    expect(await one.numbersIn(id)).toEqual([0, 3, 1, 2, 4]);
  });

  it('are appended one by one where together they are too large for the store', async () => {
    const one = newProcess();
    const id = uuidV7();
    const large = (n: number): CounterCommand => ({ type: 'Count', n, note: 'x'.repeat(400_000) });
    const decided = await one.giveAll(id, upTo(6).map(large));
    expect(decided.map((done) => done.ok && done.value.revision)).toEqual(upTo(6));
    expect(await one.numbersIn(id)).toEqual(upTo(6));
  });

  it('lose nothing and double nothing where processes race for the stream', async () => {
    const processes = [newProcess(), newProcess(), newProcess()];
    const id = uuidV7();
    const decided = await Promise.all(processes.map((process) => process.giveAll(id, upTo(100).map(count))));
    const events = decided.flat().flatMap((done) => (done.ok ? done.value.events : []));
    expect(events).toHaveLength(100);
    expect([...(await newProcess().numbersIn(id))].sort((a, b) => Number(a) - Number(b))).toEqual(upTo(100));
  });
});
