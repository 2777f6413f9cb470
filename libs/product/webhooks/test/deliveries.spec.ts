import { instantOf } from '@app/kernel';
import { foreignEvent } from '@app/testing/event-store';
import type { ScriptedJournal } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import type { DeliveryView } from '../src/delivery/delivery';
import { DeliveryStage, firstTaken, type Registered } from './delivery-stage';

/** Real time: longer than a worker's poll interval of one second. */
const sleepALook = () => sleep(1_500);

let stage: DeliveryStage;
beforeAll(async () => {
  stage = await DeliveryStage.open({ workers: 2 });
});
afterAll(() => stage.close());

it('what happens is told to each endpoint once, in the order of each stream, signed', async () => {
  const [one, other] = [await stage.endpoint(), await stage.endpoint({ payload: 'full' })];
  const journals = await Promise.all(Array.from({ length: 5 }, () => stage.journal()));
  for (let n = 0; n < 4; n += 1) await Promise.all(journals.map((journal) => stage.tell(journal, 1 + (n % 2))));
  for (const registered of [one, other]) {
    await until('all', async () => (registered.partner.taken.length >= 30 ? true : null), 20_000);
    for (const { ids } of journals) expect(firstTaken(registered).filter((id) => ids.includes(id))).toEqual(ids);
    expect(registered.partner.taken).toHaveLength(30);
    expect(registered.partner.unverified).toEqual([]);
  }
  const views = await stage.untilDone(one);
  expect(views).toHaveLength(30);
  expect(views.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true);
  expect(one.partner.taken[0]?.data).not.toHaveProperty('payload');
  expect(other.partner.taken[0]?.data).toHaveProperty('payload');
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Moves the clock and publishes an event, so that workers poll; resolves once the endpoint was attempted after that.
 */
async function step(registered: Registered, journal: ScriptedJournal, ms: number): Promise<void> {
  stage.moveClock(ms);
  await stage.tell(journal);
  const at = instantOf(stage.nowMs);
  await until('an attempt', async () => {
    const views = await stage.listed(registered);
    return views.some(({ lastAttempt }) => lastAttempt !== null && lastAttempt.at >= at) ? true : null;
  });
}

describe('an endpoint that is away', () => {
  it('for 72 hours gets everything, in order', async () => {
    const registered = await stage.endpoint();
    const journals = [await stage.journal(), await stage.journal(), await stage.journal()];
    const waitingLongest = await stage.journal();
    await registered.partner.leave();
    for (let hour = 0; hour < 72; hour += 12) {
      await Promise.all(journals.map((journal) => stage.tell(journal)));
      await step(registered, waitingLongest, 12 * hourMs);
    }
    const [waiting] = await stage.listed(registered);
    expect(waiting).toMatchObject({ state: 'pending', lastAttempt: { status: null, failure: 'not_connected' } });
    // A failing endpoint is attempted by one lane at a time, so not every step attempts this one.
    expect(waiting?.attempts).toBeGreaterThan(1);
    await registered.partner.listen();
    stage.moveClock(11 * hourMs);
    const views = await stage.untilDone(registered);
    expect(views.map(({ state }) => state)).toEqual(views.map(() => 'delivered'));
    for (const { ids } of [...journals, waitingLongest])
      expect(firstTaken(registered).filter((id) => ids.includes(id))).toEqual(ids);
    expect(firstTaken(registered)).toHaveLength(24);
  });

  it('for five days is disabled, and is told so; what was not delivered is canceled', async () => {
    const registered = await stage.endpoint();
    const journal = await stage.journal();
    registered.partner.manner = ({ type }) => (type === 'endpoint.disabled' ? 'take' : 'fail');
    for (let hours = 0; hours <= 5 * 24; hours += 12) await step(registered, journal, 12 * hourMs);
    const views = await stage.untilDone(registered);
    expect(views.at(-1)).toMatchObject({ type: 'endpoint.disabled', state: 'delivered', attempts: 1 });
    expect(views.slice(0, -1).every(({ state }) => state === 'canceled')).toBe(true);
    expect(registered.partner.taken).toMatchObject([
      { type: 'endpoint.disabled', data: { endpointId: registered.endpointId } },
    ]);
  });

  it('is asked again within a second of real time where much waits for it, and delays no other', async () => {
    const [hanging, well] = [await stage.endpoint(), await stage.endpoint()];
    hanging.partner.manner = () => 'hang';
    const journals = await Promise.all(Array.from({ length: 40 }, () => stage.journal()));
    await Promise.all(journals.map((journal) => stage.tell(journal)));
    // In turn with what hangs they would take five times its limit of 15 s.
    await until('all', async () => (well.partner.taken.length === 40 ? true : null), 60_000);
    await until('as many as may be under way', async () => (hanging.partner.heard.length >= 8 ? true : null));
    // At most eight for each worker.
    expect(hanging.partner.heard.length).toBeLessThanOrEqual(16);
    hanging.partner.manner = () => 'take';
    await hanging.partner.leave();
    await hanging.partner.listen();
    stage.moveClock(10_000);
    const views = await stage.untilDone(hanging);
    expect(views.every(({ state }) => state === 'delivered')).toBe(true);
  });
});

/** Moves the clock until no delivery is pending, and returns all deliveries. */
async function aged(registered: Registered, meanwhile: () => Promise<void>): Promise<DeliveryView[]> {
  for (let hours = 0; hours < 200; hours += 6) {
    stage.moveClock(6 * hourMs);
    await meanwhile();
    await sleepALook();
    const views = await stage.listed(registered);
    if (views.length > 0 && views.every(({ state }) => state !== 'pending')) return views;
  }
  throw new Error('something is still pending');
}

describe('a message that an endpoint never takes', () => {
  it('is given up, and later ones of its stream go on; others never waited', async () => {
    const registered = await stage.endpoint();
    const [poisoned, other] = [await stage.journal(), await stage.journal()];
    await stage.tell(poisoned, 3);
    const [bad] = poisoned.ids;
    registered.partner.manner = ({ id }) => (id === bad ? 'fail' : 'take');
    const views = await aged(registered, async () => {
      await stage.tell(other);
      const last = other.ids.at(-1) ?? '';
      await until('the other stream', async () => (firstTaken(registered).includes(last) ? true : null));
    });
    const gaveUp = views.filter(({ state }) => state === 'given_up');
    expect(gaveUp).toMatchObject([{ noticeId: bad, attempts: 8, lastAttempt: { status: 500, failure: 'status' } }]);
    expect(firstTaken(registered).filter((id) => poisoned.ids.includes(id))).toEqual(poisoned.ids.slice(1));
    expect(firstTaken(registered).filter((id) => other.ids.includes(id))).toEqual(other.ids);
  });

  it('is given up as well where there is no other stream', async () => {
    const registered = await stage.endpoint();
    const journal = await stage.journal();
    await stage.tell(journal, 3);
    const [bad] = journal.ids;
    registered.partner.manner = ({ id }) => (id === bad ? 'fail' : 'take');
    const views = await aged(registered, async () => undefined);
    expect(views.map(({ state }) => state)).toEqual(['given_up', 'delivered', 'delivered']);
    expect(firstTaken(registered)).toEqual(journal.ids.slice(1));
  });

  it('can be tried again by giveInput, and is delivered when it is taken', async () => {
    const registered = await stage.endpoint();
    const journal = await stage.journal();
    await stage.tell(journal);
    await stage.untilDone(registered);
    const [view] = await stage.listed(registered);
    expect(await stage.deliveries.retry(registered.endpointId, view?.id ?? '')).toMatchObject({
      ok: true,
      value: { state: 'pending', attempts: 0 },
    });
    await stage.untilDone(registered);
    expect(registered.partner.taken.map(({ id }) => id)).toEqual([journal.ids[0], journal.ids[0]]);
    const nowhere = await stage.deliveries.retry(registered.endpointId, registered.endpointId);
    expect(nowhere).toEqual({ ok: false, refusal: { kind: 'not_found' } });
  });
});

describe('an endpoint that says that it is gone', () => {
  it('is disabled at once; what happens then it gets by recover, in order', async () => {
    stage.moveClock(hourMs);
    const registered = await stage.endpoint();
    const journal = await stage.journal();
    await stage.tell(journal, 2);
    await stage.untilDone(registered, 2);
    const since = instantOf(stage.nowMs);
    stage.moveClock(1_000);
    registered.partner.manner = () => 'gone';
    await stage.tell(journal, 2);
    await stage.untilDone(registered, 4);
    expect((await stage.listed(registered)).map(({ state }) => state)).toEqual([
      'delivered',
      'delivered',
      'canceled',
      'canceled',
    ]);
    await stage.tell(journal, 2);
    expect(await stage.deliveries.recover(registered.endpointId, since)).toMatchObject({ ok: false });
    registered.partner.manner = () => 'take';
    stage.moveClock(1_000);
    await stage.enable(registered);
    await stage.tell(journal, 1);
    await stage.untilDone(registered, 5);
    expect(await stage.deliveries.recover(registered.endpointId, since)).toEqual({ ok: true, value: undefined });
    await until('what was missed', async () => (registered.partner.taken.length >= 7 ? true : null), 20_000);
    const recovered = [journal.ids[6], ...journal.ids.slice(2, 6)];
    expect(firstTaken(registered).slice(2)).toEqual(recovered);
    expect(registered.partner.taken).toHaveLength(7);
    expect((await stage.untilDone(registered)).every(({ state }) => state === 'delivered')).toBe(true);
  });
});

it('an event of another program in the stream of an endpoint stops no delivery', async () => {
  const [damaged, other] = [await stage.endpoint(), await stage.endpoint()];
  await stage.store.append(`endpoint-${damaged.endpointId}`, [foreignEvent('endpoint.noticed')], 0);
  const journal = await stage.journal();
  await stage.tell(journal, 2);
  for (const registered of [damaged, other]) {
    await stage.untilDone(registered, 2);
    expect(firstTaken(registered)).toEqual(journal.ids);
  }
});

it('a test message is sent once, also to an endpoint that is disabled', async () => {
  const registered = await stage.endpoint();
  const [first, second] = [uuidV7(), uuidV7()];
  const sent = await stage.deliveries.test(registered.endpointId, first);
  expect(sent).toMatchObject({ ok: true, value: { type: 'endpoint.test', state: 'pending' } });
  await stage.untilDone(registered);
  expect(registered.partner.taken).toMatchObject([
    { type: 'endpoint.test', data: { endpointId: registered.endpointId } },
  ]);
  registered.partner.manner = () => 'fail';
  for (const id of [first, second])
    expect(await stage.deliveries.test(registered.endpointId, id)).toMatchObject({ ok: true });
  expect(await stage.untilDone(registered, 2)).toMatchObject([
    { state: 'delivered', attempts: 1, noticeId: first },
    { state: 'given_up', attempts: 1, noticeId: second },
  ]);
});

it('a test message whose worker died before it heard the answer is sent again, with the same id', async () => {
  const registered = await stage.endpoint();
  const { partner, endpointId } = registered;
  partner.manner = () => (partner.heard.length === 0 ? 'hang' : 'take');
  await stage.deliveries.test(endpointId, uuidV7());
  await until('the first attempt', async () => (partner.heard.length > 0 ? true : null));
  const lease = `UPDATE webhook_lanes SET leased_until = now() - interval '1 s' WHERE endpoint_id = $1`;
  await stage.database.query(lease, [endpointId]);
  const [{ noticeId } = { noticeId: '' }] = await stage.untilDone(registered);
  expect(partner.heard.map(({ id }) => id)).toEqual([noticeId, noticeId]);
});

it('recover goes back 30 days at most', async () => {
  const { endpointId } = await stage.endpoint();
  await stage.untilKnown(endpointId);
  const at = (ms: number) => stage.deliveries.recover(endpointId, instantOf(stage.nowMs - ms));
  expect(await at(30 * dayMs)).toMatchObject({ ok: true });
  expect(await at(30 * dayMs + 1)).toMatchObject({ ok: false, refusal: { kind: 'invalid_input' } });
});

it('an endpoint gets the types that it wants', async () => {
  const registered = await stage.endpoint({ types: ['run.ended'] });
  const other = await stage.endpoint({ types: ['approval.expired', 'run.ended'] });
  await stage.tell(await stage.journal());
  await stage.untilDone(other);
  expect(await stage.listed(registered)).toEqual([]);
});

it('of an endpoint that was deleted nothing is left', async () => {
  const registered = await stage.endpoint();
  registered.partner.manner = () => 'fail';
  await stage.tell(await stage.journal(), 3);
  await until('an attempt', async () => (registered.partner.heard.length > 0 ? true : null));
  await stage.remove(registered);
  await until('nothing', async () => ((await stage.listed(registered)).length === 0 ? true : null));
});
