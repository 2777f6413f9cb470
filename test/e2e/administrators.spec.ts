/** What users, operators and auditors see after an administrator of the event store cut, deleted or tombstoned streams; nothing is a 500. */
import { EventStore, connectEventStore } from '@app/event-store';
import { operatorOf, requestJson, type OperatorClient, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  confirm,
  conversationOf,
  defined,
  newOwner,
  partOf,
  prepare,
  say,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import type { EventStoreDBClient } from '@eventstore/db-client';

/** An EventStoreDB that holds nothing yet may be named; else it is the embedded one. */
const given = process.env['EVENTSTORE_URL'];
let deployment: Deployment;
let admin: EventStoreDBClient;
let operator: OperatorClient;
/** One for each damage: making their things takes the time. */
let owners: ReadonlyMap<Damage, Owner>;
beforeAll(async () => {
  const real = given === undefined ? {} : { EVENTSTORE_URL: given };
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', ...real } });
  admin = connectEventStore(given ?? deployment.eventStoreUrl);
  operator = await operatorOf(deployment, ['audit', 'deployment', 'users', 'projections']);
  owners = new Map(await Promise.all(all.map(async (damage) => [damage, await newThings()] as const)));
});
afterAll(async () => {
  await admin?.dispose();
  await deployment?.stop();
});

const damages = {
  tombstoned: (stream: string) => admin.tombstoneStream(stream),
  deleted: (stream: string) => admin.deleteStream(stream),
  maxCount: (stream: string) => admin.setStreamMetadata(stream, { maxCount: 1 }),
  truncateBefore: (stream: string) => admin.setStreamMetadata(stream, { truncateBefore: 1 }),
};
type Damage = keyof typeof damages;
const all = Object.keys(damages) as Damage[]; // Reason: the keys of the object above
const found = {
  tombstoned: 'tombstoned',
  deleted: 'deleted',
  maxCount: 'truncated',
  truncateBefore: 'truncated',
} as const;

/** A user who has something of everything. */
interface Owner {
  readonly user: TestClient;
  readonly conversation: string;
  readonly automation: string;
  readonly operation: string;
}

async function newThings(): Promise<Owner> {
  const user = await newOwner(deployment);
  const conversation = await conversationOf(user);
  await say(user, conversation, 'hello');
  const automation = await defined(user);
  await user.post(`/automations/${automation.id}/pause`, { revision: automation.revision });
  const prepared = await prepare(user, usdc, '1000000');
  const confirmed = await confirm(user, prepared);
  await untilOperation(user, prepared.operationId, 'settled');
  expect(confirmed.status).toBeLessThan(300);
  for (const change of ['disable', 'enable'])
    expect((await operator.post(`/users/${user.userId}/wallet/${change}`, { reason: 'a test' })).status).toBe(200);
  return { user, conversation, automation: automation.id, operation: prepared.operationId };
}

/** Which calls need which stream; each is answered 503 while it is damaged, and 404 once it is tombstoned. */
const kinds: Record<string, { stream(owner: Owner): string; calls(owner: Owner): [string, string, object?][] }> = {
  conversation: {
    stream: ({ conversation }) => `conversation-${conversation}`,
    calls: ({ conversation: id }) => [
      ['GET', `/conversations/${id}`],
      ['GET', `/conversations/${id}/events`],
      ['GET', `/conversations/${id}/stream`],
      ['POST', `/conversations/${id}/archive`],
    ],
  },
  wallet: { stream: ({ user }) => `wallet-${user.userId}`, calls: () => [['GET', '/wallet']] },
  automation: {
    stream: ({ automation }) => `automation-${automation}`,
    calls: ({ automation: id }) => [['GET', `/automations/${id}`]],
  },
  operation: {
    stream: ({ operation }) => `operation-${operation}`,
    calls: ({ operation: id }) => [['GET', `/financial-operations/${id}`]],
  },
  budget: { stream: ({ user }) => `budget-${user.userId}`, calls: () => [['GET', '/budget']] },
};

const listed = (stream: string) =>
  until('the damage is known', async () => partOf(deployment, EventStore).damaged.of(stream));
const readiness = async () =>
  (
    await requestJson<{ status: string; checks: Record<string, string> }>(
      'GET',
      `http://127.0.0.1:${deployment.managementPorts[0]}/readyz`,
    )
  ).body;

describe.each(Object.entries(kinds))('the stream of a %s', (_, { stream: streamOf, calls }) => {
  it.each(all)('that is hit by %s', async (damage) => {
    const owner = owners.get(damage) ?? (await newThings());
    const stream = streamOf(owner);
    const [whole] = await Promise.all(
      calls(owner)
        .slice(0, 1)
        .map(([method, path]) => owner.user.request(method, path)),
    );
    expect(whole?.status).toBe(200);
    await damages[damage](stream);
    await listed(stream);
    for (const [method, path, body] of calls(owner)) {
      const { status } = await owner.user.request(method, path, body);
      expect([path, status]).toEqual([path, damage === 'tombstoned' ? 404 : 503]);
    }
    // That stream alone stands still.
    const other = await conversationOf(await newOwner(deployment));
    expect(other).toEqual(expect.any(String));
    const shown = await operator.get<{ integrity: object }>(`/streams/${stream}/events`);
    expect(shown).toMatchObject({
      status: 200,
      body: { integrity: { state: found[damage], detail: expect.any(String) } },
    });
    expect((await operator.get(`/streams/${stream}/export`)).status).toBe(200);
    expect((await operator.get(`/streams/${stream}/verify`)).body).toMatchObject({ damage: expect.any(String) });
    const named = await until('it is named', async () => {
      const { checks } = await readiness();
      return Object.entries(checks).find(([check]) => check.startsWith(`stream ${stream} `)) ?? null;
    });
    expect(named[1]).toBe('degraded');
  });
});

it('goes on with the log after tombstones: a later event is covered, and the log is proven', async () => {
  const user = await newOwner(deployment);
  const conversation = await conversationOf(user);
  await until('the log has passed it', async () => {
    const verified = await operator.get<{ proven: number; faulty: number }>(
      `/streams/conversation-${conversation}/verify`,
    );
    return verified.body.proven > 0 && verified.body.faulty === 0 ? verified : null;
  });
});

it('makes a wallet that was deleted no second time', async () => {
  const user = await newOwner(deployment);
  await admin.deleteStream(`wallet-${user.userId}`);
  for (const path of ['/wallet', '/wallet/withdrawals/sources']) expect((await user.get(path)).status).not.toBe(200);
  expect((await operator.get<{ data: object[] }>(`/streams/wallet-${user.userId}/events`)).body.data).toEqual([]);
});

it('is whole again once the metadata are taken back', async () => {
  const { user, conversation } = await newThings();
  const stream = `conversation-${conversation}`;
  await damages.truncateBefore(stream);
  await listed(stream);
  expect((await user.get(`/conversations/${conversation}`)).status).toBe(503);
  await admin.setStreamMetadata(stream, {});
  await until('it is whole', async () => (partOf(deployment, EventStore).damaged.of(stream) === null ? true : null));
  expect((await user.get(`/conversations/${conversation}`)).status).toBe(200);
  await say(user, conversation, 'and on');
});

it('says of metadata that will hide events one day that they will', async () => {
  const user = await newOwner(deployment);
  const conversation = await conversationOf(user);
  await admin.setStreamMetadata(`conversation-${conversation}`, { maxCount: 1_000 });
  const named = await until('it is named', async () => {
    const { checks } = await readiness();
    return Object.keys(checks).find((check) => check.includes(conversation)) ?? null;
  });
  expect(named).toContain('$maxCount 1000');
  expect((await user.get(`/conversations/${conversation}`)).status).toBe(200);
});
