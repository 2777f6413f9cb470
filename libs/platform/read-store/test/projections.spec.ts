import { Logger } from '@nestjs/common';
import { encodeEvent, type EventStore, type StoredEvent } from '@app/event-store';
import { Probe } from '@app/runtime';
import { EntityManager } from 'typeorm';
import { v7 as uuidV7 } from 'uuid';
import { counted, type CounterEvent, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { applyBatch, ProjectionRunner, type Database } from '../src';
import { KnownRows } from '../src/known-rows';
import { openTallies, tallies } from './tally';

let embedded: EmbeddedStore;
let store: EventStore;
let database: Database;
let runners: ProjectionRunner[];
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));
beforeEach(async () => {
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
  database = await openTallies(embedded.database.url);
  runners = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.stop();
  await database.close();
  await embedded.stop();
});

const closed: CounterEvent = { type: 'counter.closed', at: counted(0).at };

async function append(id: string, ...events: CounterEvent[]): Promise<number> {
  const stream = `counter-${id}`;
  const encoded = events.map((event) => encodeEvent(counterKind, event, someCause()));
  const appended = await store.append(stream, encoded, await store.lastRevision(stream));
  if (appended.kind === 'conflict') throw new Error('the test appended twice at once');
  return appended.position;
}

const eventsOf = (id: string) => store.readStream(`counter-${id}`, 0, 1_000);
const rowOf = async (id: string) => (await database.query('SELECT * FROM tallies WHERE id = $1', [id]))[0];
const counters = async () =>
  Object.fromEntries(
    (await database.query<{ name: string; total: number }>('SELECT name, total FROM list_counters')).map(
      ({ name, total }) => [name, total],
    ),
  );
const checkpoint = async () =>
  (
    await database.query<{ position: number; version: number }>('SELECT position, version FROM projection_checkpoints')
  )[0];

function runner({ projection = tallies, probe = new Probe() }: { projection?: typeof tallies; probe?: Probe } = {}) {
  const made = new ProjectionRunner(database, embedded.connect(), [projection], probe);
  runners.push(made);
  return made;
}

function started(options: { projection?: typeof tallies; probe?: Probe } = {}): ProjectionRunner {
  const made = runner(options);
  made.start();
  return made;
}

const projected = (position: number) => until(async () => ((await checkpoint())?.position ?? 0) >= position);

describe('a batch', () => {
  const applyTo = (projection: typeof tallies, batches: readonly (readonly StoredEvent[])[]) =>
    database.transaction(async (manager) => {
      for (const batch of batches) await applyBatch(manager, projection, batch);
    });
  const apply = (...batches: (readonly StoredEvent[])[]) => applyTo(tallies, batches);

  it('makes rows and counters, whichever way it is cut, and however often it comes', async () => {
    const [one, other] = [uuidV7(), uuidV7()];
    await append(one, counted(1), counted(2));
    await append(other, counted(5), counted(-9), closed);
    const events = [...(await eventsOf(one)), ...(await eventsOf(other))];
    const last = Object.fromEntries(events.map(({ stream, position }) => [stream, position]));
    const expected = [
      { id: one, total: 3, closed: false, last_note: 'note 2', position: last[`counter-${one}`] },
      { id: other, total: 5, closed: true, last_note: 'note 5', position: last[`counter-${other}`] },
    ];
    const single = events.map((event) => [event]);
    for (const batches of [[events], [events], single, [events, ...single], [[]]]) {
      await apply(...batches);
      expect([await rowOf(one), await rowOf(other)]).toEqual(expected);
      expect(await counters()).toEqual({ 'tallies/all': 2, 'tallies/closed': 1 });
    }
  });

  it('shows a projection other rows as the events before left them, and gives it more rows to change where there are any', async () => {
    const [one, other, none] = [uuidV7(), uuidV7(), uuidV7()];
    const seen: (number | null)[] = [];
    const looking: typeof tallies = {
      ...tallies,
      moreKeysOf: ({ event }) => (event.type === 'counter.closed' ? [one, none] : []),
      looksAt: ({ event }) => (event.type === 'counter.closed' ? [one] : []),
      project: (row, recorded, rowAt) => {
        if (recorded.event.type === 'counter.closed') seen.push(rowAt?.(one)?.total ?? null);
        return tallies.project(row, recorded);
      },
    };
    await append(one, counted(1), counted(2));
    await append(other, counted(5), closed);
    const events = [...(await eventsOf(one)), ...(await eventsOf(other))];
    for (const batches of [[events], [events], events.map((event) => [event])]) {
      await applyTo(looking, batches);
      expect([await rowOf(one), await rowOf(other)]).toMatchObject([
        { total: 3, closed: true },
        { total: 5, closed: true },
      ]);
      expect(await rowOf(none)).toBeUndefined();
    }
    expect(seen).toEqual([3, 3]);
  });

  it('of events without interest makes nothing', async () => {
    const id = uuidV7();
    await append(id, counted(-1));
    await apply(await eventsOf(id));
    expect([await rowOf(id), await counters()]).toEqual([undefined, {}]);
  });

  it('whose transaction fails leaves nothing', async () => {
    const id = uuidV7();
    await append(id, counted(1));
    const events = await eventsOf(id);
    const failing = database.transaction(async (manager) => {
      await applyBatch(manager, tallies, events);
      throw new Error('the checkpoint could not be moved');
    });
    await expect(failing).rejects.toThrow();
    expect([await rowOf(id), await counters()]).toEqual([undefined, {}]);
  });
});

describe('rows that the projector knows', () => {
  /** Of the statements so far, those that look for rows. */
  let selects: () => number;
  let statements: jest.SpyInstance;
  beforeEach(() => {
    statements = jest.spyOn(EntityManager.prototype, 'query');
    selects = () => statements.mock.calls.filter(([text]) => String(text).includes('FROM "tallies" WHERE')).length;
  });
  afterEach(() => statements.mockRestore());

  const firstOf: typeof tallies = { ...tallies, isFirst: ({ revision }) => revision === 0 };

  it('are selected once, and not at all where the projection says that they are new', async () => {
    const [one, other] = [uuidV7(), uuidV7()];
    const leader = started();
    for (let n = 1; n <= 5; n += 1) await projected(await append(one, counted(n)));
    expect(selects()).toBe(1);
    await leader.stop();
    started({ projection: firstOf });
    for (let n = 1; n <= 5; n += 1) await projected(await append(other, counted(n)));
    expect(selects()).toBe(1);
    await projected(await append(one, counted(6)));
    expect(selects()).toBe(2);
    expect([await rowOf(one), await rowOf(other)]).toMatchObject([{ total: 21 }, { total: 15 }]);
    expect(await counters()).toEqual({ 'tallies/all': 2 });
  });

  it('are forgotten when a batch fails', async () => {
    const id = uuidV7();
    let failures = 0;
    const project: typeof tallies.project = (row, recorded) => {
      if (recorded.revision === 2 && (failures += 1) === 1) throw new Error('once');
      return tallies.project(row, recorded);
    };
    started({ projection: { ...firstOf, project } });
    for (let n = 1; n <= 4; n += 1) await projected(await append(id, counted(n)));
    expect([selects(), await rowOf(id)]).toEqual([1, expect.objectContaining({ total: 10 })]);
  });

  it('are not relied on once another projector wrote them', async () => {
    const id = uuidV7();
    started();
    await projected(await append(id, counted(1)));
    // As another one would have projected an event, whose checkpoint it moved.
    await database.query('UPDATE tallies SET total = 100');
    await database.query('UPDATE projection_checkpoints SET position = position + 1');
    await append(id, counted(2));
    await projected(await append(id, counted(4)));
    expect(await rowOf(id)).toMatchObject({ total: 104 });
  });

  it('take no more than their share: those that were used last are kept', async () => {
    const known = new KnownRows(10_000);
    const ids = Array.from({ length: 60 }, (_, n) => `row ${n}`);
    for (const id of ids) known.keep(tallies, id, { position: 1 }, 'x'.repeat(100));
    const kept = ids.filter((id) => known.get(tallies, id) !== undefined);
    expect(kept.length).toBeLessThan(20);
    expect(kept).toEqual(ids.slice(-kept.length));
    known.keep(tallies, 'huge', { position: 1 }, 'x'.repeat(10_000));
    expect(known.get(tallies, 'huge')).toBeUndefined();
  });
});
