import { counted, counterKind, someCause } from '@app/testing/deciders';
import type { ReceivedEvent } from '@app/event-store-wire';
import { encodeEvent, type EventBatch } from '../events/codec';
import { Intake } from './intake';
import type { Reader } from '../calls/read-call';

/** The part of a subscription that an intake uses: it delivers answers as long as more are wanted. */
class Source {
  isCancelled = false;
  private reader: Reader | null = null;
  private readonly left: Parameters<Reader['take']>[0][] = [];
  private isWanted = true;

  readonly subscribe = (reader: Reader): Source => {
    this.reader = reader;
    return this;
  };

  get isPaused(): boolean {
    return !this.isWanted;
  }

  /** Delivers events number `first` and up, each at the position of its number + 1. */
  bring(first: number, count: number): void {
    for (let n = first; n < first + count; n += 1) this.left.push(received(n));
    this.push();
  }

  look(position: number): void {
    this.left.push({ kind: 'checkpoint', position });
    this.push();
  }

  end(error: Error | null): void {
    this.reader?.end(error);
  }

  more(): void {
    this.isWanted = true;
    this.push();
  }

  cancel(): void {
    this.isCancelled = true;
  }

  private push(): void {
    while (this.isWanted) {
      const answer = this.left.shift();
      if (answer === undefined) return;
      this.isWanted = this.reader?.take(answer) === true;
    }
  }
}

function received(n: number): ReceivedEvent {
  const { id, type, data, metadata } = encodeEvent(counterKind, counted(n), someCause());
  const bytes = { data: Buffer.from(JSON.stringify(data)), metadata: Buffer.from(JSON.stringify(metadata)) };
  return { kind: 'event', stream: 'counter-1', revision: n, position: n + 1, id, type, isJson: true, ...bytes };
}

const intakeOf = (source: Source, signal = new AbortController().signal) => new Intake(source.subscribe, signal);
const settle = () => new Promise((later) => setImmediate(later));
const numbersOf = (batch: EventBatch | null) => batch?.events.map(({ payload }) => payload['n']) ?? [];

describe('an intake', () => {
  it('pauses its subscription at 2,000 waiting events, and goes on once they are taken', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    source.bring(0, 5_000);
    expect(source.isPaused).toBe(true);
    const batches: EventBatch[] = [];
    while (batches.flatMap(numbersOf).length < 5_000) {
      const batch = await intake.next();
      if (batch !== null) batches.push(batch);
    }
    expect(batches[0]).toMatchObject({ upTo: 2_000 });
    expect(Math.max(...batches.map(({ events }) => events.length))).toBe(2_000);
    expect(batches.flatMap(numbersOf)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
    intake.close();
  });

  it('waits for something to come', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    const next = intake.next();
    await settle();
    source.bring(0, 3);
    expect(await next).toMatchObject({ upTo: 3 });
    intake.close();
  });

  it('says how far the server has looked', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    source.bring(0, 2);
    source.look(70);
    expect(await intake.next()).toMatchObject({ events: [{}, {}], upTo: 70 });
    source.look(90);
    expect(await intake.next()).toEqual({ events: [], upTo: 90 });
    intake.close();
  });

  it('does not take back what the server has said, when it says 0 while it catches up', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    source.look(70);
    source.look(0);
    expect(await intake.next()).toEqual({ events: [], upTo: 70 });
    intake.close();
  });

  it('says so only when no event before it is still on its way', async () => {
    const source = new Source();
    const intake = intakeOf(source);
    source.bring(0, 2_500);
    source.look(9_000);
    expect(await intake.next()).toMatchObject({ upTo: 2_000 });
    const later: EventBatch[] = [];
    while (later.at(-1)?.upTo !== 9_000) {
      const batch = await intake.next();
      if (batch !== null) later.push(batch);
    }
    expect(later.flatMap(numbersOf)).toHaveLength(500);
    intake.close();
  });

  it('gives what has come before it tells of a failure, and ends with its subscription', async () => {
    const [broken, ended] = [new Source(), new Source()];
    const [first, second] = [intakeOf(broken), intakeOf(ended)];
    broken.bring(0, 1);
    ended.bring(0, 1);
    ended.end(null);
    broken.end(new Error('the connection broke'));
    expect([numbersOf(await first.next()), numbersOf(await second.next())]).toEqual([[0], [0]]);
    await expect(first.next()).rejects.toThrow('the connection broke');
    expect(await second.next()).toBeNull();
    first.close();
    second.close();
  });

  it('ends when it is told to, and leaves its subscription', async () => {
    const source = new Source();
    const stop = new AbortController();
    const intake = intakeOf(source, stop.signal);
    const next = intake.next();
    stop.abort();
    expect(await next).toBeNull();
    intake.close();
    expect(source.isCancelled).toBe(true);
  });
});
