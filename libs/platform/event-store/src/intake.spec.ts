import { PassThrough } from 'node:stream';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { encodeEvent } from './codec';
import { Intake, type EventBatch } from './intake';

/** A subscription as far as an intake is concerned: a stream of resolved events that can be ended. */
class Source extends PassThrough {
  unsubscribed = false;

  constructor() {
    super({ objectMode: true });
  }

  async unsubscribe(): Promise<void> {
    this.unsubscribed = true;
  }

  /** Events number `first` on, each at the position of its number + 1. */
  bring(first: number, count: number): void {
    for (let n = first; n < first + count; n += 1) this.write({ event: recorded(n) });
  }
}

function recorded(n: number) {
  const { id, type, data, metadata } = encodeEvent(counterKind, counted(n), someCause());
  const position = { commit: BigInt(n + 1), prepare: BigInt(n + 1) };
  return { id, type, data, metadata, position, streamId: 'counter-1', revision: BigInt(n), isJson: true };
}

function intakeOf(source: Source, signal = new AbortController().signal): Intake {
  // The client's class is a stream as well, and the intake asks no more of it.
  return new Intake(source, signal);
}

const settle = () => new Promise((later) => setImmediate(later));
const numbersOf = (batch: EventBatch | null) => batch?.events.map(({ payload }) => payload['n']) ?? [];

describe('an intake', () => {
  it('pauses its subscription at 2,000 waiting events, and goes on once they are taken', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    source.bring(0, 5_000);
    await settle();
    expect(source.isPaused()).toBe(true);
    const batches: EventBatch[] = [];
    while (batches.flatMap(numbersOf).length < 5_000) {
      const batch = await intake.next();
      if (batch !== null) batches.push(batch);
    }
    expect(batches[0]).toMatchObject({ upTo: 2_000 });
    expect(Math.max(...batches.map(({ events }) => events.length))).toBe(2_000);
    expect(batches.flatMap(numbersOf)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
    await intake.close();
  });

  it('waits for something to come', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    const next = intake.next();
    await settle();
    source.bring(0, 3);
    expect(await next).toMatchObject({ upTo: expect.any(Number) });
    await intake.close();
  });

  it('says how far the server has looked', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    source.bring(0, 2);
    await settle();
    intake.noteProgress(70);
    expect(await intake.next()).toMatchObject({ events: [{}, {}], upTo: 70 });
    intake.noteProgress(90);
    expect(await intake.next()).toEqual({ events: [], upTo: 90 });
    await intake.close();
  });

  it('does not take back what the server has said, when it says 0 while it catches up', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    intake.noteProgress(70);
    intake.noteProgress(0);
    expect(await intake.next()).toEqual({ events: [], upTo: 70 });
    await intake.close();
  });

  it('says so only when no event before it is still on its way', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    source.bring(0, 2_500);
    await settle();
    intake.noteProgress(9_000);
    expect(await intake.next()).toMatchObject({ upTo: 2_000 });
    const later: EventBatch[] = [];
    while (later.at(-1)?.upTo !== 9_000) {
      const batch = await intake.next();
      if (batch !== null) later.push(batch);
    }
    expect(later.flatMap(numbersOf)).toHaveLength(500);
    await intake.close();
  });

  it('gives what has come before it tells of a failure, and ends with its subscription', async () => {
    const [broken, ended] = [new Source(), new Source()];
    const [first, second] = [intakeOf(broken), intakeOf(ended)];
    broken.bring(0, 1);
    ended.bring(0, 1);
    ended.end();
    await settle();
    broken.emit('error', new Error('the connection broke'));
    expect([numbersOf(await first.next()), numbersOf(await second.next())]).toEqual([[0], [0]]);
    await expect(first.next()).rejects.toThrow('the connection broke');
    expect(await second.next()).toBeNull();
    await Promise.all([first.close(), second.close()]);
  });

  it('ends when it is told to, and leaves its subscription', async () => {
    const source = new Source();
    const stop = new AbortController();
    const intake = intakeOf(source, stop.signal);
    const next = intake.next();
    stop.abort();
    expect(await next).toBeNull();
    await intake.close();
    expect([source.unsubscribed, source.destroyed]).toEqual([true, true]);
  });
});
