import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { CommandBus } from '@nestjs/cqrs';
import { HoldAutomation, ReleaseAutomation } from '@app/automations';
import { PauseControl, ResumeControl } from '@app/deployment';
import { asId, type AutomationId } from '@app/kernel';
import { Webhook } from 'standardwebhooks';
import { NIL } from 'uuid';
import { deliver as deliverBy, eventOf, rotated, type Delivery, type Key } from './webhook-delivery';
import { WebhookWork } from './webhook-work';
import type { Deployment } from '@app/testing/deployment';
import type { Answer, TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  act,
  atRest,
  aUuid,
  byOperator,
  defined,
  eventCount,
  expectProblem,
  hourly,
  type Listed,
  partOf,
  read,
  sql,
  untilEnded,
  update,
} from '@app/testing/journeys';
import { onTwoReplicas } from './two-replicas';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
onTwoReplicas((stage) => ({ deployment, user, there } = stage));

const deliver = (key: Key, body: string | Buffer, how: Delivery = {}): Promise<Answer> =>
  deliverBy(key, body, { via: user, ...how });

const acceptedOf = async (id: string): Promise<Record<string, unknown>[]> => {
  const { body } = await user.get<Listed>(`/automations/${id}/occurrences?delivery=accepted`);
  return [...body.data];
};

/** The newest accepted occurrence once there is one. */
const untilAccepted = (id: string) => until('the occurrence', async () => (await acceptedOf(id))[0]);

it('rotates to a secret that is shown once, and a path of its own', async () => {
  const { id, revision } = await defined(user);
  const key = await rotated(user, id);
  expect(key).toEqual({
    secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    signingSecret: `whsec_${Buffer.from(key.secret, 'base64url').toString('base64')}`,
    keyId: aUuid,
    path: `/hooks/v1/${key.keyId}`,
    definitionVersion: 1,
  });
  expect((await read(there, id)).revision).toBe(revision);
  // The secret is not stored in plain text: it is sealed in its table, and absent from every event.
  const rows = await sql<{ sealed: Buffer }>(deployment, 'SELECT sealed FROM webhook_keys WHERE key_id = $1', [
    key.keyId,
  ]);
  expect(rows[0]?.sealed.includes(Buffer.from(key.secret, 'base64url'))).toBe(false);
});

it('mints secrets that the library of Standard Webhooks reads, in either spelling', async () => {
  const { id } = await defined(user);
  for (let nth = 0; nth < 12; nth += 1) {
    const key = await rotated(user, id);
    for (const secret of [key.secret, key.signingSecret]) {
      const body = eventOf();
      const at = new Date();
      const signed = { id: randomUUID(), timestamp: Math.floor(at.getTime() / 1000) };
      const signature = new Webhook(secret).sign(signed.id, at, body);
      expect(await deliver(key, body, { ...signed, signature })).toMatchObject({ status: 202 });
    }
  }
});

it('rotates for an enabled automation with an event wake and the present revision only', async () => {
  const { id, revision } = await defined(user);
  expectProblem(await act(user, id, 'rotate-webhook-secret', `1.${randomUUID()}`), 'automation_changed');
  await act(user, id, 'pause');
  expectProblem(await act(user, id, 'rotate-webhook-secret', revision), 'automation_changed');
  const scheduled = await user.post<{ id: string }>('/automations', hourly());
  expectProblem(await act(user, scheduled.body.id, 'rotate-webhook-secret'), 'automation_changed');
  const ids = [id, scheduled.body.id];
  const kept = await sql(deployment, 'SELECT 1 FROM webhook_keys WHERE automation_id = ANY($1)', [ids]);
  expect(kept).toEqual([]);
});

it('records a delivery once by the id in its body, whatever else it holds, and fires', async () => {
  const { id } = await defined(user);
  const key = await rotated(user, id);
  const event = randomUUID();
  const all = await Promise.all(
    Array.from({ length: 6 }, (_, nth) =>
      deliver(key, eventOf({ id: event, data: { nth } }), { via: nth % 2 ? user : there }),
    ),
  );
  expect(all.map(({ status }) => status)).toEqual(Array<number>(6).fill(202));
  expect(all.map(({ body }) => body['status']).sort()).toEqual([...Array<string>(5).fill('duplicate'), 'recorded']);
  expect(all[0]?.body).toEqual({ status: expect.any(String), inputId: aUuid });
  expect(new Set(all.map(({ body }) => body['inputId'])).size).toBe(1);
  const occurrence = await untilAccepted(id);
  expect(occurrence).toMatchObject({ trigger: 'webhook', inputId: all[0]?.body['inputId'] });
  const run = await untilEnded(user, String(occurrence['runId']));
  expect(run).toMatchObject({ status: 'completed', automationId: id });
  expect(await acceptedOf(id)).toHaveLength(1);
});

it('answers one and the same 401 to everything that is not signed with the present key', async () => {
  const { id } = await defined(user);
  const old = await rotated(there, id);
  const key = await rotated(user, id);
  const archived = await defined(user);
  const gone = await rotated(user, archived.id);
  await user.request('DELETE', `/automations/${archived.id}`);
  const before = await eventCount(deployment);
  const seconds = Math.floor(Date.now() / 1000);
  const body = eventOf();
  const answers = await Promise.all([
    deliver({ ...key, path: `/hooks/v1/${randomUUID()}` }, body),
    deliver({ ...key, path: '/hooks/v1/no-uuid' }, body),
    deliver(old, body),
    deliver(old, body, { via: there }),
    deliver(gone, body, { via: there }),
    deliver(key, body, { secret: randomBytes(32).toString('base64url') }),
    deliver(key, body, { secret: old.secret }),
    ...['', 'v1', 'v1,', 'v2,AAAA'].map((signature) => deliver(key, body, { signature })),
    ...[seconds - 301, seconds + 310, 'now', `${seconds}x`].map((timestamp) => deliver(key, body, { timestamp })),
    deliver(key, body, { id: 'with.dot' }),
    deliver(key, body, { id: 'x'.repeat(65) }),
    deliver(key, 'no JSON', { signature: 'v1,AAAA' }),
  ]);
  const refusal = { ...answers[0]?.body, requestId: '' };
  for (const answer of answers) {
    expectProblem(answer, 'unauthenticated');
    expect({ ...answer.body, requestId: '' }).toEqual(refusal);
  }
  const bare = await fetch(`${user.baseUrl}${key.path}`, { method: 'POST', headers: user.headers });
  expect([bare.status, { ...((await bare.json()) as object), requestId: '' }]).toEqual([401, refusal]);
  expect(await eventCount(deployment)).toBe(before);
  // One valid signature among others suffices, and so does a timestamp within 5 minutes.
  const good = createHmac('sha256', Buffer.from(key.secret, 'base64url'))
    .update(`id.${seconds - 290}.${body}`)
    .digest('base64');
  const signature = `v1,${randomBytes(32).toString('base64')} v1a,x v1,${good}`;
  expect((await deliver(key, body, { id: 'id', timestamp: seconds - 290, signature })).status).toBe(202);
});

it('does as much for a key that there is as for any other, until the signature is good', async () => {
  const { id } = await defined(user);
  const old = await rotated(user, id);
  const key = await rotated(user, id);
  const keyAt = (keyId: string) => ({ ...key, path: `/hooks/v1/${keyId}` });
  await atRest(deployment);
  const work = new WebhookWork();
  const done = async (asked: Promise<Answer>, status: number) => {
    expect((await asked).status).toBe(status);
    return work.count(id);
  };
  const stale = Math.floor(Date.now() / 1000) - 301;
  const body = eventOf();
  const once = { looked: 1, opened: 1, folded: 0 };
  try {
    for (const refused of [key, old, keyAt(randomUUID()), keyAt('no-uuid'), keyAt(NIL)]) {
      expect(await done(deliver(refused, body, { secret: randomBytes(32).toString('base64url') }), 401)).toEqual(once);
      expect(await done(deliver(refused, body, { timestamp: stale }), 401)).toEqual(once);
      expect(await done(deliver(refused, body, { signature: '' }), 401)).toEqual(once);
    }
    // A valid signature with an earlier key's secret costs a fold, which reveals nothing that its holder did not know.
    expect((await done(deliver(old, body), 401)).folded).toBe(1);
    expect((await done(deliver(key, body), 202)).folded).toBeGreaterThan(0);
  } finally {
    work.stop();
  }
});

it('holds bodies to the rules of all others, once they are signed', async () => {
  const { id } = await defined(user);
  const key = await rotated(user, id);
  const before = await eventCount(deployment);
  for (const body of ['', 'no JSON', '[]', 'null'])
    expectProblem(await deliver(key, body), 'invalid_input', { at: [''] });
  for (const [body, at] of [
    [`{"id":"a","id":"b"}`, '/id'],
    [eventOf({ id: '-a' }), '/id'],
    [eventOf({ id: 'x'.repeat(129) }), '/id'],
    [eventOf({ type: 'x'.repeat(81) }), '/type'],
    [eventOf({ occurredAt: 'yesterday' }), '/occurredAt'],
    [eventOf({ data: 'x' }), '/data'],
    [eventOf({ data: { x: 'x'.repeat(17_000) } }), '/data'],
    [eventOf({ surprise: 1 }), '/surprise'],
  ] as const) {
    expectProblem(await deliver(key, body), 'invalid_input', { at: [at] });
  }
  expectProblem(await deliver(key, eventOf(), { contentType: 'text/plain' }), 'invalid_input', { at: [''] });
  // Every caller gets this answer, so it reveals nothing about the key.
  const packed = gzipSync(eventOf());
  const headers = { 'content-encoding': 'gzip' };
  expect(await deliver(key, packed, { headers })).toMatchObject({
    status: 415,
    body: { type: 'urn:parley:error:unsupported_encoding' },
  });
  expect((await deliver(key, packed, { headers, signature: 'v1,AAAA' })).status).toBe(415);
  expectProblem(await deliver(key, eventOf({ data: { x: 'x'.repeat(65_536) } })), 'too_large');
  expectProblem(await deliver(key, eventOf(), { headers: { origin: 'https://elsewhere.example' } }), 'origin_rejected');
  const got = await fetch(`${user.baseUrl}${key.path}`);
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  expect(await eventCount(deployment)).toBe(before);
});

it('records while the automation or the deployment is paused, or it is held, and fires nothing of it, then or later', async () => {
  const { id } = await defined(user);
  const key = await rotated(user, id);
  await act(user, id, 'pause');
  expect((await deliver(key, eventOf(), { via: there })).body).toMatchObject({ status: 'recorded' });
  const resumed = await act(user, id, 'resume');
  const commands = partOf(deployment, CommandBus);
  const automationId = asId<AutomationId>(id);
  const { cause } = byOperator(user);
  await commands.execute(new HoldAutomation(automationId, 'looks odd', cause));
  expect((await deliver(key, eventOf(), { via: there })).body).toMatchObject({ status: 'recorded' });
  await commands.execute(new ReleaseAutomation(automationId, 'was fine', cause));
  const control = { control: 'automations', reason: 'test', cause } as const;
  await commands.execute(new PauseControl(control));
  expect((await deliver(key, eventOf(), { via: there })).body).toMatchObject({ status: 'recorded' });
  await commands.execute(new ResumeControl(control));
  // An event of a type that the rule does not wait for is recorded too, but does not wake it.
  expect((await deliver(key, eventOf({ type: 'order.lost' }))).body).toMatchObject({ status: 'recorded' });
  const last = await deliver(key, eventOf());
  const occurrence = await untilAccepted(id);
  expect(occurrence['inputId']).toBe(last.body['inputId']);
  const { body } = await user.get<Listed>(`/automations/${id}/occurrences`);
  expect(body.data).toHaveLength(1);
  // A rule without an event wake keeps its key, but events delivered with it fire nothing.
  await update(user, resumed.body, hourly());
  expect((await deliver(key, eventOf())).status).toBe(202);
});

it('takes 60 a minute of each automation, counted once they are signed', async () => {
  const { id } = await defined(user);
  const other = await rotated(user, (await defined(user)).id);
  const key = await rotated(user, id);
  for (let nth = 0; nth < 10; nth += 1) await deliver(key, eventOf(), { signature: 'v1,AAAA' });
  const event = eventOf();
  const all: Answer[] = [];
  for (let nth = 0; nth < 62; nth += 1) all.push(await deliver(key, event, { via: nth % 2 ? user : there }));
  const refused = all.filter(({ status }) => status === 429);
  expect(all.filter(({ status }) => status === 202)).toHaveLength(60);
  expect(refused).toHaveLength(2);
  for (const one of refused) {
    expectProblem(one, 'rate_limited');
    expect(Number(one.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await deliver(other, eventOf())).status).toBe(202);
});
