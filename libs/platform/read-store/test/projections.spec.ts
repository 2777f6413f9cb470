import { Logger } from '@nestjs/common';
import type { StoredEvent } from '@app/event-store';
import { v7 as uuidV7 } from 'uuid';
import { counted } from '@app/testing/deciders';
import { applyBatch } from '@app/testing/read-models';
import { RowCache } from '../src/read-models/row-cache';
import { closed, ProjectedTallies } from './projected';
import { tallies } from './tally';

let stage: ProjectedTallies;
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));
beforeEach(async () => {
  stage = await ProjectedTallies.start();
});
afterEach(() => stage.stop());

describe('a batch', () => {
  const applyTo = (projection: typeof tallies, batches: readonly (readonly StoredEvent[])[]) =>
    stage.database.transaction(async (manager) => {
      for (const batch of batches) await applyBatch(manager, projection, batch);
    });
  const apply = (...batches: (readonly StoredEvent[])[]) => applyTo(tallies, batches);

  it('makes rows and counters, whichever way it is cut, and however often it comes', async () => {
    const [one, other] = [uuidV7(), uuidV7()];
    await stage.append(one, counted(1), counted(2));
    await stage.append(other, counted(5), counted(-9), closed);
    const events = [...(await stage.eventsOf(one)), ...(await stage.eventsOf(other))];
    const last = Object.fromEntries(events.map(({ stream, position }) => [stream, position]));
    const expected = [
      { id: one, total: 3, closed: false, last_note: 'note 2', position: last[`counter-${one}`] },
      { id: other, total: 5, closed: true, last_note: 'note 5', position: last[`counter-${other}`] },
    ];
    const single = events.map((event) => [event]);
    for (const batches of [[events], [events], single, [events, ...single], [[]]]) {
      await apply(...batches);
      expect([await stage.rowOf(one), await stage.rowOf(other)]).toEqual(expected);
      expect(await stage.counters()).toEqual({ 'tallies/all': 2, 'tallies/closed': 1 });
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
    await stage.append(one, counted(1), counted(2));
    await stage.append(other, counted(5), closed);
    const events = [...(await stage.eventsOf(one)), ...(await stage.eventsOf(other))];
    for (const batches of [[events], [events], events.map((event) => [event])]) {
      await applyTo(looking, batches);
      expect([await stage.rowOf(one), await stage.rowOf(other)]).toMatchObject([
        { total: 3, closed: true },
        { total: 5, closed: true },
      ]);
      expect(await stage.rowOf(none)).toBeUndefined();
    }
    expect(seen).toEqual([3, 3]);
  });

  it('of events without interest makes nothing', async () => {
    const id = uuidV7();
    await stage.append(id, counted(-1));
    await apply(await stage.eventsOf(id));
    expect([await stage.rowOf(id), await stage.counters()]).toEqual([undefined, {}]);
  });

  it('whose transaction fails leaves nothing', async () => {
    const id = uuidV7();
    await stage.append(id, counted(1));
    const events = await stage.eventsOf(id);
    const failing = stage.database.transaction(async (manager) => {
      await applyBatch(manager, tallies, events);
      throw new Error('the checkpoint could not be moved');
    });
    await expect(failing).rejects.toThrow();
    expect([await stage.rowOf(id), await stage.counters()]).toEqual([undefined, {}]);
  });
});

describe('rows that the projector knows', () => {
  /** Number of statements so far that select rows. */
  let selects: () => number;
  let statements: jest.SpyInstance;
  beforeEach(() => {
    statements = jest.spyOn(stage.database, 'query');
    selects = () => statements.mock.calls.filter(([text]) => String(text).includes('FROM "tallies" WHERE')).length;
  });
  afterEach(() => statements.mockRestore());

  const firstOf: typeof tallies = { ...tallies, isFirst: ({ revision }) => revision === 0 };

  it('are selected once, and not at all where the projection says that they are new', async () => {
    const [one, other] = [uuidV7(), uuidV7()];
    const leader = stage.started();
    for (let n = 1; n <= 5; n += 1) await stage.projected(await stage.append(one, counted(n)));
    expect(selects()).toBe(1);
    await leader.stop();
    stage.started({ projection: firstOf });
    for (let n = 1; n <= 5; n += 1) await stage.projected(await stage.append(other, counted(n)));
    expect(selects()).toBe(1);
    await stage.projected(await stage.append(one, counted(6)));
    expect(selects()).toBe(2);
    expect([await stage.rowOf(one), await stage.rowOf(other)]).toMatchObject([{ total: 21 }, { total: 15 }]);
    expect(await stage.counters()).toEqual({ 'tallies/all': 2 });
  });

  it('are forgotten when a batch fails', async () => {
    const id = uuidV7();
    let failures = 0;
    const project: typeof tallies.project = (row, recorded) => {
      if (recorded.revision === 2 && (failures += 1) === 1) throw new Error('once');
      return tallies.project(row, recorded);
    };
    stage.started({ projection: { ...firstOf, project } });
    for (let n = 1; n <= 4; n += 1) await stage.projected(await stage.append(id, counted(n)));
    expect([selects(), await stage.rowOf(id)]).toEqual([1, expect.objectContaining({ total: 10 })]);
  });

  it('are not relied on once another projector wrote them', async () => {
    const id = uuidV7();
    stage.started();
    await stage.projected(await stage.append(id, counted(1)));
    // As if another projector had projected an event and moved its position.
    await stage.database.query('UPDATE tallies SET total = 100');
    await stage.database.query('UPDATE read_model_places SET position = position + 1');
    await stage.append(id, counted(2));
    await stage.projected(await stage.append(id, counted(4)));
    expect(await stage.rowOf(id)).toMatchObject({ total: 104 });
  });

  it('take no more than their share: those that were used last are kept', async () => {
    const known = new RowCache(10_000);
    const ids = Array.from({ length: 60 }, (_, n) => `row ${n}`);
    const ofLength = (length: number) => ({ position: 1, text: 'x'.repeat(length) });
    for (const id of ids) known.set('tallies', id, ofLength(100));
    const kept = ids.filter((id) => known.get('tallies', id) !== undefined);
    expect(kept.length).toBeLessThan(20);
    expect(kept).toEqual(ids.slice(-kept.length));
    known.set('tallies', 'huge', ofLength(10_000));
    expect(known.get('tallies', 'huge')).toBeUndefined();
  });
});
