import { EventStore } from '@app/event-store';
import { noticeTypes } from '@app/notices';
import { type OperatorClient, operatorOf } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { anInstant, aUuid, expectProblem, missingId, partOf, sql, type Listed } from '@app/testing/journeys';
import { until } from '@app/testing/until';

let deployment: Deployment;
let operator: OperatorClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  operator = await operatorOf(deployment, ['webhooks'], { subject: 'ada' });
});
afterAll(() => deployment.stop());

const reason = 'a new partner';
// No process listens on the discard port of this machine.
const url = 'http://127.0.0.1:9/hooks';
const path = '/webhook-endpoints';
const eventsOf = (stream: string) => partOf(deployment, EventStore).readStream(stream, 0, 1_000);

interface Created extends Record<string, unknown> {
  readonly endpointId: string;
  readonly secret: string;
}

async function created(more: object = {}): Promise<Created> {
  const answer = await operator.post<Created>(path, { url, description: 'Acme', reason, ...more });
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body;
}

const shown = async (endpointId: string) => (await operator.get(`${path}/${endpointId}`)).body;
const change = (endpointId: string, body: object) =>
  operator.request('PATCH', `${path}/${endpointId}`, { reason, ...body });

describe('an endpoint', () => {
  it('is created with a secret that is shown once, and is nowhere else', async () => {
    const { endpointId, secret, ...rest } = await created({ types: ['run.ended'] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rest).toEqual({ url, types: ['run.ended'], payload: 'thin', description: 'Acme', createdAt: anInstant });
    const listed = (await operator.get<Listed>(`${path}?limit=100`)).body.data.find(
      (one) => one['endpointId'] === endpointId,
    );
    expect(listed).toEqual({
      ...rest,
      endpointId,
      enabled: true,
      disabledBecause: null,
      disabledAt: null,
      failingSince: null,
      pending: 0,
      oldestPendingAt: null,
      updatedAt: rest['createdAt'],
      rotatedAt: rest['createdAt'],
    });
    expect(await shown(endpointId)).toEqual(listed);
    const [intended] = (await eventsOf('operator-log')).slice(-2);
    expect(intended?.payload).toMatchObject({
      operation: 'webhooks.create',
      target: endpointId,
      operator: 'ada',
      parameters: { url, types: ['run.ended'], payload: 'thin', description: 'Acme', keyId: aUuid },
    });
    const [event] = await eventsOf(`endpoint-${endpointId}`);
    expect(event?.metadata.$causationId).toBe(intended?.payload['intentId']);
    const base64 = secret.slice('whsec_'.length);
    const log = await operatorOf(deployment, ['deployment', 'audit']);
    const written = JSON.stringify([
      await eventsOf('operator-log'),
      await eventsOf(`endpoint-${endpointId}`),
      await sql(deployment, 'SELECT * FROM webhook_endpoint_keys'),
      (await log.get('/log?limit=100')).body,
      (await log.get(`/streams/endpoint-${endpointId}/events`)).body,
    ]);
    for (const form of [base64, Buffer.from(base64, 'base64').toString('hex')]) expect(written).not.toContain(form);
  });

  it('gets every type where none is named', async () => {
    expect((await created())['types']).toBeNull();
    expect((await created({ types: ['*'] }))['types']).toBeNull();
    expect((await created({ types: noticeTypes }))['types']).toEqual([...noticeTypes]);
  });

  it.each([
    ['/url', { url: 'partner.example' }],
    ['/url', { url: 'ftp://partner.example' }],
    ['/url', { url: 'https://ada:secret@partner.example' }],
    ['/url', { url: 'https://partner.example/#there' }],
    ['/url', { url: `https://partner.example/${'x'.repeat(2_048)}` }],
    ['/url', { url: undefined }],
    ['/types/1', { types: ['run.ended', 'run.started'] }],
    ['/types', { types: [] }],
    ['/types', { types: ['run.ended', 'run.ended'] }],
    ['/types', { types: ['*', 'run.ended'] }],
    ['/types', { types: 'run.ended' }],
    ['/payload', { payload: 'whole' }],
    ['/description', { description: '' }],
    ['/description', { description: undefined }],
  ])('is refused with a pointer to %s for %p, which is not logged', async (at, wrong) => {
    const before = (await eventsOf('operator-log')).length;
    const body = { url, description: 'Acme', reason, ...wrong };
    expectProblem(await operator.post(path, body), 'invalid_input', { at: [at] });
    expect(await eventsOf('operator-log')).toHaveLength(before);
  });

  it('is changed in what is named, and logged with nothing else', async () => {
    const { endpointId } = await created({ types: ['run.ended'] });
    const done = await change(endpointId, { payload: 'full', types: ['*'] });
    expect(done).toMatchObject({ status: 200, body: { operation: 'webhooks.change', target: endpointId } });
    expect(await shown(endpointId)).toMatchObject({ url, types: null, payload: 'full', description: 'Acme' });
    const [intended] = (await eventsOf('operator-log')).slice(-2);
    expect(intended?.payload['parameters']).toEqual({ payload: 'full', types: null });
    expectProblem(await change(endpointId, { url: 'nowhere' }), 'invalid_input', { at: ['/url'] });
    expectProblem(await change(endpointId, { types: ['nothing'] }), 'invalid_input', { at: ['/types/0'] });
    expectProblem(await change(missingId, { payload: 'full' }), 'not_found');
  });

  it('is disabled and enabled', async () => {
    const { endpointId } = await created();
    expect((await change(endpointId, { enabled: false })).status).toBe(200);
    expect(await shown(endpointId)).toMatchObject({
      enabled: false,
      disabledBecause: 'operator',
      disabledAt: anInstant,
    });
    expect((await change(endpointId, { enabled: true })).status).toBe(200);
    expect(await shown(endpointId)).toMatchObject({ enabled: true, disabledBecause: null, disabledAt: null });
    expect((await eventsOf(`endpoint-${endpointId}`)).map(({ type }) => type)).toEqual([
      'endpoint.created',
      'endpoint.disabled',
      'endpoint.enabled',
    ]);
  });

  it('gets another secret, which is shown once, five at most in a day', async () => {
    const { endpointId, secret } = await created();
    const secrets = new Set([secret]);
    for (let times = 0; times < 4; times += 1) {
      const { status, body } = await operator.post(`${path}/${endpointId}/rotate`, { reason });
      expect([status, body]).toEqual([
        200,
        { endpointId, secret: body['secret'], rotatedAt: anInstant, othersUntil: anInstant },
      ]);
      secrets.add(String(body['secret']));
    }
    expect(secrets.size).toBe(5);
    const refused = await operator.post(`${path}/${endpointId}/rotate`, { reason });
    expectProblem(refused, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    const keys = 'SELECT in_force FROM webhook_endpoint_keys WHERE endpoint_id = $1';
    expect(await sql(deployment, keys, [endpointId])).toEqual(Array(5).fill({ in_force: true }));
    expectProblem(await operator.post(`${path}/${missingId}/rotate`, { reason }), 'not_found');
    expect(await sql(deployment, keys, [missingId])).toEqual([]);
  });

  it('is deleted for good, with its secrets; again is no error', async () => {
    const { endpointId } = await created();
    const remove = () => operator.request('DELETE', `${path}/${endpointId}`, { reason: 'they left' });
    expect(await remove()).toMatchObject({ status: 200, body: { operation: 'webhooks.delete' } });
    expect((await remove()).status).toBe(200);
    expectProblem(await operator.get(`${path}/${endpointId}`), 'not_found');
    expectProblem(await operator.get(`${path}/${endpointId}/deliveries`), 'not_found');
    expectProblem(await change(endpointId, { enabled: true }), 'not_found');
    expectProblem(await operator.post(`${path}/${endpointId}/rotate`, { reason }), 'not_found');
    expectProblem(await operator.post(`${path}/${endpointId}/test`, { reason }), 'not_found');
    const keys = 'SELECT 1 FROM webhook_endpoint_keys WHERE endpoint_id = $1';
    expect(await sql(deployment, keys, [endpointId])).toEqual([]);
  });
});

/** Waits until the fan-out knows the endpoint. */
async function known(endpointId: string): Promise<void> {
  const there = 'SELECT 1 FROM webhook_targets WHERE endpoint_id = $1';
  await until('the endpoint', async () => ((await sql(deployment, there, [endpointId])).length > 0 ? true : null));
}

describe('the deliveries to an endpoint', () => {
  it('are listed, newest first, a page at a time, by their state', async () => {
    const { endpointId } = await created();
    const intents: unknown[] = [];
    for (let times = 0; times < 3; times += 1) {
      const { status, body } = await operator.post(`${path}/${endpointId}/test`, { reason });
      expect(status).toBe(200);
      intents.push(body['intentId']);
    }
    const deliveries = `${path}/${endpointId}/deliveries`;
    const first = (await operator.get<Listed>(`${deliveries}?limit=2`)).body;
    expect(first.data).toMatchObject([{ type: 'endpoint.test' }, { type: 'endpoint.test' }]);
    const last = (await operator.get<Listed>(`${deliveries}?limit=2&cursor=${first.nextCursor}`)).body;
    expect(last).toMatchObject({ data: [{ type: 'endpoint.test' }], nextCursor: null });
    const ids = [...first.data, ...last.data].map(({ id }) => String(id));
    expect(ids).toEqual([...ids].sort().reverse());
    expect([...first.data, ...last.data].map(({ noticeId }) => noticeId)).toEqual(intents.reverse());
    expect((await operator.get<Listed>(`${deliveries}?state=delivered`)).body.data).toEqual([]);
    expectProblem(await operator.get(`${deliveries}?state=lost`), 'invalid_input', { at: ['/state'] });
    expectProblem(await operator.get(`${deliveries}?state=pending&cursor=${first.nextCursor}`), 'invalid_cursor');
    const other = await created();
    expectProblem(
      await operator.get(`${path}/${other.endpointId}/deliveries?cursor=${first.nextCursor}`),
      'invalid_cursor',
    );
  });

  it('are asked for again by id, each at its own endpoint', async () => {
    const [one, other] = [await created(), await created()];
    await known(one.endpointId);
    await operator.post(`${path}/${one.endpointId}/test`, { reason });
    const deliveries = `${path}/${one.endpointId}/deliveries`;
    const [delivery] = (await operator.get<Listed>(deliveries)).body.data;
    const retry = (endpointId: string, id: unknown) =>
      operator.post(`${path}/${endpointId}/deliveries/${String(id)}/retry`, { reason });
    expect((await retry(one.endpointId, delivery?.['id'])).status).toBe(200);
    expectProblem(await retry(other.endpointId, delivery?.['id']), 'not_found');
    expectProblem(await retry(one.endpointId, missingId), 'not_found');
  });

  it('are recovered for 30 days', async () => {
    const { endpointId } = await created();
    const recover = (since: unknown) => operator.post(`${path}/${endpointId}/recover`, { since, reason });
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await known(endpointId);
    expect((await recover(ago(29))).status).toBe(200);
    expectProblem(await recover(ago(31)), 'invalid_input', { at: ['/since'] });
    expectProblem(await recover('yesterday'), 'invalid_input', { at: ['/since'] });
    expectProblem(await operator.post(`${path}/${missingId}/recover`, { since: ago(1), reason }), 'not_found');
  });
});
