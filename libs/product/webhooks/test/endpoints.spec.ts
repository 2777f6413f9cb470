import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { readStore } from '@app/composition';
import { EventStore } from '@app/event-store';
import { asId, Clock, type EndpointId } from '@app/kernel';
import { Database } from '@app/read-store';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { partOf, sql } from '@app/testing/journeys';
import { applyBatch, emptyReadModel } from '@app/testing/read-models';
import { testCause } from '@app/testing/slices';
import { CreateEndpoint, DeleteEndpoint, DisableEndpoint, EndpointSecrets, RotateEndpointSecret } from '../src';

/** The maximum number of endpoints of a deployment, from the decisions. */
const endpointsMax = 50;
const daySeconds = 86_400;

let deployment: Deployment;
beforeAll(async () => void (deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } })));
afterAll(() => deployment.stop());

const reason = 'a test';
const settings = { url: 'http://127.0.0.1:9/', types: null, payload: 'thin', description: 'Acme' } as const;
const secretsOf = (endpointId: EndpointId) => partOf(deployment, EndpointSecrets).signingKeys(endpointId);
const now = () => partOf(deployment, Clock).now();
const commands = (replica = 0) => partOf(deployment, CommandBus, replica);
const newId = () => asId<EndpointId>(randomUUID());
const bytesOf = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64');
const remove = (endpointId: EndpointId) => commands().execute(new DeleteEndpoint(endpointId, reason, testCause()));
const keysOf = (endpointId: EndpointId) =>
  sql<{ sealed: Buffer }>(deployment, 'SELECT sealed FROM webhook_endpoint_keys WHERE endpoint_id = $1', [endpointId]);

async function create(endpointId = newId(), replica = 0) {
  const { keyId, secret } = await partOf(deployment, EndpointSecrets, replica).make(endpointId);
  const request = { endpointId, at: now(), settings, keyId, reason, cause: testCause() };
  const again = () => commands(replica).execute(new CreateEndpoint(request));
  return { endpointId, keyId, secret: bytesOf(secret), done: await again(), again };
}

async function rotate(endpointId: EndpointId) {
  const { keyId, secret } = await partOf(deployment, EndpointSecrets).make(endpointId);
  const request = { endpointId, at: now(), keyId, reason, cause: testCause() };
  const again = () => commands().execute(new RotateEndpointSecret(request));
  return { keyId, secret: bytesOf(secret), done: await again(), again };
}

it('signs with its secret, which is sealed', async () => {
  const { endpointId, keyId, secret } = await create();
  expect(secret).toHaveLength(32);
  expect(await secretsOf(endpointId)).toEqual([secret]);
  const [row] = await keysOf(endpointId);
  expect(row?.sealed.includes(secret)).toBe(false);
  const moved = 'UPDATE webhook_endpoint_keys SET endpoint_id = $2 WHERE key_id = $1';
  const other = newId();
  await sql(deployment, moved, [keyId, other]);
  await expect(secretsOf(other)).rejects.toThrow();
  await sql(deployment, moved, [keyId, endpointId]);
  await remove(endpointId);
});

it('signs with both secrets for a day by the service clock, the newest first', async () => {
  const { endpointId, secret, again } = await create();
  const second = await rotate(endpointId);
  expect(await secretsOf(endpointId)).toEqual([second.secret, secret]);
  const advance = (advanceSeconds: number) => deployment.sandbox('POST', 'clock', { advanceSeconds });
  await advance(daySeconds / 2);
  const third = await rotate(endpointId);
  const all = [third.secret, second.secret, secret];
  expect(await secretsOf(endpointId)).toEqual(all);
  for (const completed of [again, second.again, third.again]) expect((await completed()).ok).toBe(true);
  expect(await secretsOf(endpointId)).toEqual(all);
  await advance(daySeconds / 2 + 60);
  expect(await secretsOf(endpointId)).toEqual([third.secret, second.secret]);
  await advance(daySeconds / 2);
  expect(await secretsOf(endpointId)).toEqual([third.secret]);
  await rotate(endpointId);
  expect(await keysOf(endpointId)).toHaveLength(2);
  await remove(endpointId);
});

it('signs nothing once it is deleted, nor with a key that nothing came to name', async () => {
  const { endpointId, again } = await create();
  await partOf(deployment, EndpointSecrets).make(endpointId);
  expect(await secretsOf(endpointId)).toHaveLength(1);
  await remove(endpointId);
  expect((await again()).ok).toBe(false);
  expect((await rotate(endpointId)).done.ok).toBe(false);
  expect(await secretsOf(endpointId)).toEqual([]);
  expect(await keysOf(endpointId)).toEqual([]);
});

it('is disabled once, by whoever delivers, and says why', async () => {
  const { endpointId } = await create();
  const disable = (because: 'gone' | 'failing') =>
    commands().execute(new DisableEndpoint(endpointId, because, testCause()));
  expect((await disable('gone')).ok).toBe(true);
  expect((await disable('failing')).ok).toBe(true);
  const rows = await sql(deployment, 'SELECT disabled_because FROM webhook_endpoints WHERE id = $1', [endpointId]);
  expect(rows).toEqual([{ disabled_because: 'gone' }]);
  await remove(endpointId);
  expect((await disable('gone')).ok).toBe(false);
});

it('has at most 49 others beside it, also where many are created at once on several replicas', async () => {
  const before = await sql(deployment, 'SELECT DISTINCT endpoint_id FROM webhook_endpoint_keys WHERE in_force');
  const asked = await Promise.all(
    Array.from({ length: endpointsMax + 10 - before.length }, (_, nth) => create(newId(), nth % 2)),
  );
  const refused = asked.filter(({ done }) => !done.ok);
  expect(refused).toHaveLength(10);
  expect(refused.map(({ done }) => done)).toEqual(
    Array(10).fill({ ok: false, refusal: { kind: 'reason', reason: 'rate_limited' } }),
  );
  const [one] = asked.filter(({ done }) => done.ok);
  if (one === undefined) throw new Error('none was created');
  expect((await one.again()).ok).toBe(true);
  await remove(one.endpointId);
  expect((await create()).done.ok).toBe(true);
  expect((await create()).done.ok).toBe(false);
});

it('reads the same when every event is replayed, twice and from nothing', async () => {
  const rows = await sql<{ id: string }>(deployment, 'SELECT id FROM webhook_endpoints');
  const store = partOf(deployment, EventStore);
  const stored = await Promise.all(rows.map(({ id }) => store.readStream(`endpoint-${id}`, 0, 100)));
  const events = stored.flat().sort((one, other) => one.position - other.position);
  const projection = readStore.projections.find(({ name }) => name === 'webhook_endpoints');
  if (projection === undefined) throw new Error('there is no such read model');
  const look = () => sql(deployment, 'SELECT * FROM webhook_endpoints ORDER BY id');
  const before = await look();
  expect(before.length).toBeGreaterThan(endpointsMax);
  for (const fromNothing of [false, true]) {
    await partOf(deployment, Database).transaction(async (manager) => {
      if (fromNothing) await emptyReadModel(manager, projection);
      for (const event of events) {
        await applyBatch(manager, projection, [event]);
        await applyBatch(manager, projection, [event]);
      }
    });
    expect(await look()).toEqual(before);
  }
});
