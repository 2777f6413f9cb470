import { NestFactory } from '@nestjs/core';
import { CqrsModule, EventBus } from '@nestjs/cqrs';
import { Unavailable } from '@app/kernel';
import { Metrics, Probe } from '@app/runtime';
import { encodeEvent, type EventStore } from '@app/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { Notifications, ProjectionRunner, ReadGate, type Database } from '../src';
import { OpenReadGateHandler, ReadGateSagas } from '../src/read-gate/open-read-gate';
import { programOf } from '../src/read-models/projection';
import { openTallies, tallies } from './tally';

let embedded: EmbeddedStore;
let store: EventStore;
let database: Database;
let notifications: Notifications;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
  database = await openTallies(embedded.database.url);
  notifications = new Notifications(database.url);
  await notifications.open();
});
afterAll(async () => {
  await notifications.close();
  await database.close();
  await embedded.stop();
});

/** Announces a position as a projector does. */
const say = (position: number) => database.query(`SELECT pg_notify('parley_read_models', $1)`, [`7:${position}:1:0`]);

function newGate() {
  const metrics = new Metrics();
  const gate = new ReadGate(notifications, store, metrics, ['counter'], () => new Set([7]));
  const late = async () =>
    (await metrics.registry.getSingleMetric('parley_read_gate_late_total')?.get())?.values[0]?.value;
  return { gate, late };
}

/** Announces the position until the gate has received it: a LISTEN takes a moment. */
async function heard(gate: ReadGate, position: number): Promise<void> {
  await until(async () => {
    await say(position);
    return gate.projecting;
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

describe('passed', () => {
  it('opens when the read models have passed the position, and not before', async () => {
    const { gate, late } = newGate();
    await heard(gate, 10);
    const passed: number[] = [];
    const waiting = [12, 11, 30].map((position) => gate.waitForProjection(position).then(() => passed.push(position)));
    await gate.waitForProjection(10);
    await say(11);
    await until(() => passed.length === 1);
    await sleep(20);
    expect(passed).toEqual([11]);
    await say(40);
    await Promise.all(waiting);
    expect([[...passed].sort(), await late()]).toEqual([[11, 12, 30], 0]);
  });

  it('does not wait for a command that appended nothing', async () => {
    const { gate, late } = newGate();
    await gate.waitForProjection(null);
    expect(await late()).toBe(0);
  });

  it('is late after two seconds, which is counted', async () => {
    const { gate, late } = newGate();
    await heard(gate, 1);
    const heartbeat = setInterval(() => void say(1), 300);
    const elapsedMs = await timed(() => gate.waitForProjection(1_000_000));
    clearInterval(heartbeat);
    expect(elapsedMs).toBeGreaterThan(1_990);
    expect(await late()).toBe(1);
  });

  it('does not wait while no projector is heard of, which is counted as well', async () => {
    const { gate, late } = newGate();
    expect(gate.projecting).toBe(false);
    expect(await timed(() => gate.waitForProjection(1_000_000))).toBeLessThan(1_990); // the time that it would wait
    expect(await late()).toBe(1);
  });

  it('opens when all partitions have passed the position, of whatever number they are now', async () => {
    const { gate } = newGate();
    const sayOf = (payload: string) => database.query(`SELECT pg_notify('parley_read_models', $1)`, [payload]);
    let passed = 0;
    await until(async () => {
      await sayOf('7:5:2:0,1');
      return gate.projecting;
    });
    const waiting = [8, 9].map((position) => gate.waitForProjection(position).then(() => (passed += 1)));
    await sayOf('7:9:2:0');
    await sayOf('7:8:2:1');
    await until(() => passed === 1);
    // Announcements for two partitions are void for three.
    await sayOf('7:9:3:0,2');
    await until(() => !gate.projecting);
    await sleep(20);
    expect(passed).toBe(1);
    await sayOf('7:9:3:1');
    await Promise.all(waiting);
    expect(passed).toBe(2);
  });

  it('takes a projector that is silent for two seconds for gone', async () => {
    const { gate } = newGate();
    await heard(gate, 1);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_001);
    expect(gate.projecting).toBe(false);
    jest.restoreAllMocks();
  });
});

async function appended(category = 'counter'): Promise<number> {
  const events = [encodeEvent(counterKind, counted(1), someCause())];
  const done = await store.append(`${category}-${uuidV7()}`, events, -1);
  if (done.kind === 'conflict') throw new Error('conflict');
  return done.position;
}

describe('passedAll', () => {
  it('waits for the newest event that read models are made of, and for none that the projector never sees', async () => {
    const { gate, late } = newGate();
    // Beyond the announcements of earlier tests, some of which a slow machine may receive only now.
    let position = await appended();
    while (position <= 40) position = await appended();
    await appended('run');
    await heard(gate, position - 1);
    let passed = false;
    const waiting = gate.passedAll().then(() => (passed = true));
    await sleep(50);
    expect(passed).toBe(false);
    await say(position);
    await waiting;
    // A server need not report that it has read past what follows.
    await gate.passedAll();
    expect(await late()).toBe(0);
  });
});

describe('find', () => {
  it('answers a row that is there at once', async () => {
    const { gate } = newGate();
    const end = jest.spyOn(store, 'endPositionOf');
    expect(await gate.find(async () => 'row')).toBe('row');
    expect(end).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it('waits for what was appended before, and looks once more', async () => {
    const { gate } = newGate();
    const position = await appended();
    await heard(gate, position - 1);
    const looks: (string | null)[] = [];
    let row: string | null = null;
    const finding = gate.find(async () => {
      looks.push(row);
      return row;
    });
    await until(() => looks.length === 1);
    row = 'row';
    await say(position);
    expect([await finding, looks]).toEqual(['row', [null, 'row']]);
  });

  it('finds nothing at once when the read models are at the end', async () => {
    const { gate } = newGate();
    const lookUp = jest.fn(async () => null);
    await heard(gate, await appended());
    expect(await gate.find(lookUp)).toBeNull();
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('does not say that there is none while the read models are behind, and does not wait for them for long', async () => {
    const { gate } = newGate();
    await heard(gate, (await appended()) - 1);
    let answer: unknown;
    const elapsedMs = await timed(
      async () => (answer = await gate.find(async () => null).catch((error: unknown) => error)),
    );
    expect(answer).toBeInstanceOf(Unavailable);
    expect(elapsedMs).toBeGreaterThan(240);
  });

  it('finds nothing where no projector works, after the same time', async () => {
    const { gate } = newGate();
    await appended();
    let answer: unknown;
    const elapsedMs = await timed(async () => (answer = await gate.find(async () => null)));
    expect([answer, gate.projecting]).toEqual([null, false]);
    expect(elapsedMs).toBeGreaterThan(240);
  });
});

it('opens in the process that projects although no notification comes', async () => {
  const metrics = new Metrics();
  const gate = new ReadGate(
    new Notifications(database.url),
    store,
    metrics,
    ['counter'],
    () => new Set([programOf([tallies])]),
  );
  const root = {
    module: class Root {},
    imports: [CqrsModule.forRoot()],
    providers: [{ provide: ReadGate, useValue: gate }, OpenReadGateHandler, ReadGateSagas],
  };
  const app = await NestFactory.createApplicationContext(root, { logger: false });
  const projecting = embedded.connect();
  projecting.feed.publishOn(app.get(EventBus));
  const runner = new ProjectionRunner(database, projecting, [tallies], { probe: new Probe() });
  const appended = await store.append(`counter-${uuidV7()}`, [encodeEvent(counterKind, counted(1), someCause())], -1);
  expect([appended.kind, gate.projecting]).toEqual(['appended', false]);
  try {
    runner.start();
    await until(() => gate.projecting);
    await gate.passedAll();
    expect((await metrics.registry.getSingleMetric('parley_read_gate_late_total')?.get())?.values[0]?.value).toBe(0);
  } finally {
    await runner.stop();
    await app.close();
  }
});
