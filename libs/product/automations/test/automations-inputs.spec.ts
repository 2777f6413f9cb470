import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { PauseControl, ResumeControl } from '@app/deployment';
import type { Deployment } from '@app/testing/deployment';
import type { Answer, TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  act,
  allPages,
  anInstant,
  aUuid,
  byOperator,
  defined,
  eventCount,
  expectProblem,
  giveInput,
  type Occurrence,
  occurrencesOf,
  partOf,
  read,
  rule,
  untilEnded,
  update,
} from '@app/testing/journeys';
import { recordInvocation } from './recorded-invocation';
import { onTwoReplicas } from './two-replicas';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
onTwoReplicas((stage) => ({ deployment, user, there } = stage));

const firing = { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 };

const expectInvalid = (answer: Answer, ...at: string[]) => expectProblem(answer, 'invalid_input', { at });

/** The occurrences once there are `count` of them, all with that delivery. */
const untilDelivered = async (id: string, count: number, delivery = 'accepted'): Promise<readonly Occurrence[]> =>
  until(`${count} ${delivery} occurrences`, async () => {
    const all = await occurrencesOf(user, id);
    return all.length === count && all.every((one) => one.delivery === delivery) ? all : null;
  });

describe.each(['signal', 'invoke'] as const)('automations.%s', (what) => {
  const named = what === 'signal' ? 'inputId' : 'occurrenceId';

  it('is recorded once, and leads to one run, however often it is handed in and where', async () => {
    const { id } = await defined(user);
    const { revision } = await read(user, id);
    const body = { revision, idempotencyKey: randomUUID().toUpperCase(), input: { table: 7 } };
    const path = `/automations/${id}/${what}`;
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, nth) => (nth % 2 ? user : there).post(path, { ...body, input: { table: nth } })),
    );
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([what === 'signal' ? 200 : 202]));
    const statuses = all.map((answer) => answer.body['status']).sort();
    expect(statuses).toEqual([...Array<string>(5).fill('duplicate'), 'recorded']);
    expect(new Set(all.map((answer) => answer.body[named])).size).toBe(1);
    expect(all[0]?.body).toEqual({ status: expect.any(String), [named]: aUuid });
    const [occurrence] = await untilDelivered(id, 1);
    expect(occurrence).toEqual({
      id: aUuid,
      at: anInstant,
      delivery: 'accepted',
      trigger: what,
      inputId: aUuid,
      reason: null,
      runId: aUuid,
      conversationId: aUuid,
      coalescedInto: null,
      attempts: 1,
    });
    expect([occurrence?.id, occurrence?.['inputId']]).toContain(all[0]?.body[named]);
    const run = await untilEnded(user, occurrence?.runId ?? '');
    const from = { automationId: id, occurrenceId: occurrence?.id };
    expect(run).toMatchObject({ origin: 'automation', ...from, status: 'completed' });
    expect(await read(there, id)).toMatchObject({ occurrences: 1, revision });
    // The same answer forever, even once the automation takes no more inputs.
    await user.request('DELETE', `/automations/${id}`);
    const again = await there.post(path, { revision: 'old', idempotencyKey: body.idempotencyKey });
    expect(again.body).toEqual({ status: 'duplicate', [named]: all[0]?.body[named] });
  });

  it('is refused in order: the body, the revision, the state, the deployment', async () => {
    const { id, revision } = await defined(user);
    const path = `/automations/${id}/${what}`;
    const idempotencyKey = randomUUID();
    const deep = { a: { b: { c: { d: { e: { f: { g: { h: {} } } } } } } } };
    for (const [body, at] of [
      [{ revision, idempotencyKey: 'x' }, '/idempotencyKey'],
      [{ idempotencyKey }, '/revision'],
      [{ revision, idempotencyKey, input: [] }, '/input'],
      [{ revision, idempotencyKey: null, input: null }, '/idempotencyKey'],
      [{ revision, idempotencyKey, input: deep }, '/input'],
      [{ revision, idempotencyKey, input: { a: 'x'.repeat(17_000) } }, '/input'],
      [{ revision, idempotencyKey, more: 1 }, '/more'],
    ] as const) {
      expectInvalid(await user.post(path, body), at);
    }
    const control = { control: 'automations', reason: 'test', cause: byOperator(user).cause } as const;
    await partOf(deployment, CommandBus).execute(new PauseControl(control));
    try {
      expectProblem(await user.post(path, { revision: `1.${randomUUID()}`, idempotencyKey }), 'automation_changed');
      expectProblem(await there.post(path, { revision, idempotencyKey }), 'deployment_paused');
      await act(user, id, 'pause');
      expectProblem(await there.post(path, { revision, idempotencyKey }), 'automation_changed');
    } finally {
      await partOf(deployment, CommandBus).execute(new ResumeControl(control));
    }
    const before = await eventCount(deployment);
    expectProblem(await user.post(path, { revision, idempotencyKey }), 'automation_changed');
    expect(await eventCount(deployment)).toBe(before);
    await act(user, id, 'resume');
    expect((await giveInput(user, id, what, { idempotencyKey })).body['status']).toBe('recorded');
  });

  it('is refused with automation_completed once the automation has finished, for good', async () => {
    const { id } = await defined(user, { firing: { ...firing, maxOccurrences: 1 } });
    await giveInput(user, id, what);
    await untilDelivered(id, 1);
    expectProblem(await giveInput(there, id, what), 'automation_completed');
    expect(await read(user, id)).toMatchObject({ state: 'enabled', occurrences: 1 });
    expect((await user.get(`/automations/${id}/status`)).body).toMatchObject({ monitoring: 'completed' });
    const more = rule({ firing: { ...firing, maxOccurrences: 2 } });
    const finished = await read(user, id);
    const before = await eventCount(deployment);
    expectProblem(await update(user, finished, more), 'automation_completed');
    expectProblem(await update(user, { ...finished, revision: `1.${randomUUID()}` }, more), 'automation_completed');
    expectProblem(await act(there, id, 'pause'), 'automation_completed');
    expectProblem(await act(there, id, 'resume'), 'automation_completed');
    expect(await eventCount(deployment)).toBe(before);
  });
});

describe('what automations.invoke answers', () => {
  it('is in the very next list, on any replica, also of those who lose the race for one key', async () => {
    // One runs and the others are skipped, so the test need not wait for runs.
    const { id } = await defined(user, { firing: { ...firing, overlap: 'skip' } });
    for (let nth = 0; nth < 10; nth += 1) {
      const { body } = await giveInput(nth % 2 ? user : there, id, 'invoke');
      expect((await occurrencesOf(user, id)).map((one) => one.id)).toContain(body['occurrenceId']);
    }
    const idempotencyKey = randomUUID();
    const seen = async (client: TestClient) => {
      const { body } = await giveInput(client, id, 'invoke', { idempotencyKey });
      return (await occurrencesOf(client, id)).some((one) => one.id === body['occurrenceId']);
    };
    expect(await Promise.all([seen(user), seen(there), seen(user), seen(there)])).toEqual([true, true, true, true]);
    expect(await occurrencesOf(user, id)).toHaveLength(11);
  });

  it('comes to be also where the process that recorded the invocation died before', async () => {
    const { id, revision } = await defined(user);
    const idempotencyKey = randomUUID();
    const occurrenceId = await recordInvocation(deployment, user, { id, revision }, idempotencyKey);
    expect((await untilDelivered(id, 1))[0]?.id).toBe(occurrenceId);
    expect((await giveInput(there, id, 'invoke', { idempotencyKey })).body).toEqual({
      status: 'duplicate',
      occurrenceId,
    });
    expect(await occurrencesOf(user, id)).toHaveLength(1);
  });

  it('is rejected with its reason where it cannot be accepted', async () => {
    const { id } = await defined(user, { firing: { ...firing, maxOccurrences: 1 } });
    const answers = await Promise.all([user, there, user, there].map((client) => giveInput(client, id, 'invoke')));
    const taken = answers.filter(({ status }) => status === 202).map(({ body }) => String(body['occurrenceId']));
    const over = await until('all of them decided', async () => {
      const all = await occurrencesOf(user, id);
      return all.every(({ delivery }) => ['accepted', 'rejected'].includes(delivery)) ? all : null;
    });
    expect(over.map((one) => one.id).sort()).toEqual(taken.sort());
    const [accepted, ...others] = over.filter(({ delivery }) => delivery === 'accepted');
    expect([accepted, others]).toEqual([expect.anything(), []]);
    for (const one of over.filter(({ delivery }) => delivery === 'rejected'))
      expect(one['reason']).toEqual({ text: 'The automation has finished.', truncated: false });
  });
});

describe('automations.input', () => {
  const outcomeOf = (id: string, inputId: unknown) => user.get(`/automations/${id}/inputs/${String(inputId)}`);
  const untilOutcome = async (id: string, inputId: unknown) =>
    until('the look at it', async () => {
      const { body } = await outcomeOf(id, inputId);
      return body['outcome'] === 'waiting' ? null : body;
    });
  const signalled = async (id: string, change: object = {}) =>
    (await giveInput(user, id, 'signal', change)).body['inputId'];
  const paid = {
    bindings: [{ name: 'order', source: { kind: 'event' }, maxAgeSeconds: 3600 }],
    rule: { compare: { left: { binding: 'order', field: '/data/paid' }, op: 'eq', right: { value: true } } },
  };

  it('says what became of a signal: fired, not matched, unknown, too soon', async () => {
    const { id } = await defined(user, { condition: paid, firing: { ...firing, cooldownSeconds: 3600 } });
    const unpaid = await untilOutcome(id, await signalled(id, { input: { paid: false } }));
    expect(unpaid).toEqual({
      inputId: aUuid,
      receivedAt: anInstant,
      trigger: 'signal',
      outcome: 'not_matched',
      occurrenceId: null,
    });
    expect(await untilOutcome(id, await signalled(id))).toMatchObject({ outcome: 'unknown', occurrenceId: null });
    const first = await untilOutcome(id, await signalled(id, { input: { paid: true } }));
    const [occurrence] = await untilDelivered(id, 1);
    expect(first).toMatchObject({ outcome: 'fired', occurrenceId: occurrence?.id });
    const soon = await untilOutcome(id, await signalled(id, { input: { paid: true } }));
    expect(soon).toMatchObject({ outcome: 'cooldown', occurrenceId: null });
  });

  it('says what became of an invocation, at once', async () => {
    const { id } = await defined(user, { firing: { ...firing, cooldownSeconds: 3600, maxOccurrences: 1 } });
    const { body } = await giveInput(user, id, 'invoke');
    const { items } = await allPages(user, `/automations/${id}/occurrences?limit=100`);
    const input = await outcomeOf(id, items[0]?.['inputId']);
    const { occurrenceId } = body;
    expect(input.body).toMatchObject({ trigger: 'invoke', outcome: 'fired', occurrenceId });
    await untilDelivered(id, 1);
  });

  it('is found for its automation alone', async () => {
    const { id } = await defined(user);
    const other = await defined(user);
    const inputId = await signalled(id);
    expectProblem(await outcomeOf(other.id, inputId), 'not_found');
    expectProblem(await outcomeOf(id, randomUUID()), 'not_found');
    expectProblem(await outcomeOf(id, 'x'), 'not_found');
    await untilDelivered(id, 1);
  });
});

describe('automations.occurrences', () => {
  it('is newest first, page by page, by delivery', async () => {
    const { id } = await defined(user);
    for (let nth = 0; nth < 5; nth += 1) await giveInput(user, id, 'signal');
    const all = await untilDelivered(id, 5);
    const path = `/automations/${id}/occurrences`;
    expect((await allPages(user, `${path}?limit=2`)).items).toEqual(all);
    expect((await allPages(user, `${path}?limit=2&delivery=accepted`)).items).toEqual(all);
    expect((await allPages(user, `${path}?limit=2&delivery=deferred`)).items).toEqual([]);
    const times = all.map(({ at }) => String(at));
    expect(times).toEqual([...times].sort().reverse());
    expectInvalid(await user.get(`${path}?delivery=lost`), '/delivery');
    const { body } = await user.get(`${path}?limit=1`);
    expect(Object.keys(body).sort()).toEqual(['data', 'nextCursor']);
    const other = await defined(user);
    const foreign = `/automations/${other.id}/occurrences?cursor=${String(body['nextCursor'])}`;
    expectProblem(await user.get(foreign), 'invalid_cursor');
  });
});
