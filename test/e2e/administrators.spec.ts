/** Answers to users, operators and auditors after an administrator of the event store cut, deleted or tombstoned streams; none is a 500. */
import { EventStore, connectEventStore } from '@app/event-store';
import { operatorOf, requestJson, type OperatorClient, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  conversationOf,
  newOwner,
  partOf,
  say,
  sql,
  start,
  startLongRun,
  untilBooked,
  untilEnded,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { streamCategories } from '@app/operators';
import { binaryEvent, type EventStoreDBClient } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { administeredKinds, answerTo, ownerOfAll, type Call, type Owner } from './administered-things';

/** An empty EventStoreDB may be given; without one, the embedded store is used. */
const given = process.env['EVENTSTORE_URL'];
/** The URL for administrative calls, needed where the service's own account may not cut streams. */
const givenToAdmin = process.env['EVENTSTORE_ADMIN_URL'] ?? given;
let deployment: Deployment;
let admin: EventStoreDBClient;
let operator: OperatorClient;
/** One owner for each kind of damage, because creating their things takes most of the time. */
let owners: ReadonlyMap<Damage, Owner>;
let bystander: TestClient;
beforeAll(async () => {
  const real = given === undefined ? {} : { EVENTSTORE_URL: given };
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', ...real } });
  admin = connectEventStore(givenToAdmin ?? deployment.eventStoreUrl);
  operator = await operatorOf(deployment, ['audit', 'deployment', 'users', 'projections', 'keys', 'webhooks', 'runs']);
  bystander = await newOwner(deployment);
  owners = new Map(
    await Promise.all(all.map(async (damage) => [damage, await ownerOfAll(deployment, operator)] as const)),
  );
});
afterAll(async () => {
  await admin?.dispose();
  await deployment?.stop();
});

const damages = {
  tombstoned: (stream: string) => admin.tombstoneStream(stream),
  deleted: (stream: string) => admin.deleteStream(stream),
  maxCount: (stream: string) => admin.setStreamMetadata(stream, { maxCount: 1 }),
  maxAge: async (stream: string) => {
    await sleep(1_100); // the newest event may be younger than a second
    await admin.setStreamMetadata(stream, { maxAge: 1 });
  },
  truncateBefore: (stream: string) => admin.setStreamMetadata(stream, { truncateBefore: 1 }),
  linked: (stream: string) => admin.appendToStream(stream, aLink()),
};
/** A link event, like those of another program or of a projection of the server. */
const aLink = () => binaryEvent({ type: '$>', data: Buffer.from('0@of-another') });
type Damage = keyof typeof damages;
const all = Object.keys(damages) as Damage[]; // Reason: the keys of the object above
const found = {
  tombstoned: 'tombstoned',
  deleted: 'deleted',
  maxCount: 'truncated',
  maxAge: 'deleted',
  truncateBefore: 'truncated',
  linked: 'foreign',
} as const;
/** Damage that cannot be undone. */
const forGood: readonly Damage[] = ['tombstoned', 'linked'];
/** In a stream of one event, `maxCount` 1 hides nothing, and `truncateBefore` 1 hides everything. */
const foundOfOne = { ...found, maxCount: null, truncateBefore: 'deleted' } as const;

const listed = (stream: string) =>
  until('the damage is known', async () => partOf(deployment, EventStore).damaged.of(stream));
const readiness = async () =>
  (
    await requestJson<{ status: string; checks: Record<string, string> }>(
      'GET',
      `http://127.0.0.1:${deployment.managementPorts[0]}/readyz`,
    )
  ).body;

const ask = (owner: Owner, call: Call) => answerTo(owner, operator, call);

/** Expects the first of the calls to succeed. */
async function expectFine(owner: Owner, [first]: readonly Call[]): Promise<void> {
  if (first === undefined) throw new Error('there is a call');
  const { status, body } = await ask(owner, first);
  expect([first, status < 300 ? 'fine' : [status, body]]).toEqual([first, 'fine']);
}

/** Waits for the check of `/readyz` that names a stream. */
const namedAs = (stream: string) =>
  until(`${stream} is named`, async () => {
    const { checks } = await readiness();
    return Object.entries(checks).find(([check]) => check.startsWith(`stream ${stream} `)) ?? null;
  });

/**
 * Removes metadata that hide events, until the stream is whole again. After a soft delete, the first write alone recreates the stream,
 * after the hidden events.
 */
async function takeBack(stream: string): Promise<void> {
  for (let n = 0; n < 2; n += 1) await admin.setStreamMetadata(stream, {});
  await until('it is whole', async () => (partOf(deployment, EventStore).damaged.of(stream) === null ? true : null));
}

/** Waits until a checkpoint of the log covers all events of a stream. */
const untilProven = (stream: string) =>
  until(`${stream} is proven`, async () => {
    await sql(deployment, "SELECT pg_notify('parley_checkpoint_wanted', '')");
    const { body } = await operator.get<{ proven: number; faulty: number }>(`/streams/${stream}/verify`);
    return body.proven > 0 && body.faulty === 0 ? true : null;
  });

/** Expects all that auditors and operators read of a damaged stream to report the damage. */
async function expectTold(stream: string, state: string): Promise<void> {
  const shown = await operator.get<{ integrity: object }>(`/streams/${stream}/events`);
  expect(shown).toMatchObject({ status: 200, body: { integrity: { state, detail: expect.any(String) } } });
  expect((await operator.get(`/streams/${stream}/export`)).status).toBe(200);
  expect((await operator.get(`/streams/${stream}/verify`)).body).toMatchObject({
    // A link is an event of the server itself, so the log does not contain it.
    damage: state === 'foreign' ? null : expect.any(String),
  });
  expect((await namedAs(stream))[1]).toBe('degraded');
}

/** Streams that no call reads, only a worker: the slice's own suite damages them (libs/product/privacy/test/retention.spec.ts). */
const ofWorkers = ['retention'];

it('plays every kind of stream that there is', () => {
  const played = [...Object.keys(administeredKinds), ...Object.keys(ofDeployment).map(categoryOf), ...ofWorkers];
  expect(played.sort()).toEqual([...streamCategories].sort());
});

describe.each(Object.entries(administeredKinds))(
  'the stream of a %s',
  (_, { stream: streamOf, calls, isOfOneEvent }) => {
    it.each(all)('that is hit by %s', async (damage) => {
      const owner = owners.get(damage) ?? (await ownerOfAll(deployment, operator));
      const stream = streamOf(owner);
      const asked = calls(owner);
      await expectFine(owner, asked);
      await damages[damage](stream);
      const state = (isOfOneEvent === true ? foundOfOne : found)[damage];
      if (state === null) {
        expect((await namedAs(stream))[0]).toContain('will lose events');
        await expectFine(owner, asked);
        return takeBack(stream);
      }
      // An event of another program is only found when the stream is folded.
      if (damage !== 'linked') await listed(stream);
      for (const call of asked) {
        const { status, body } = await ask(owner, call);
        expect([call, status]).toEqual([call, damage === 'tombstoned' ? 404 : 503]);
        // Operators can act on it, so they alone learn its name.
        const isNamed = JSON.stringify(body).includes(stream);
        expect([call, isNamed]).toEqual([call, call[0] === 'operator']);
      }
      // Only that stream is refused.
      expect(await conversationOf(bystander)).toEqual(expect.any(String));
      await expectTold(stream, state);
      if (forGood.includes(damage)) return;
      await takeBack(stream);
      await expectFine(owner, asked);
    });
  },
);

it('no change that an operator asked of a damaged stream stays pending, where it would block others', async () => {
  const log = await partOf(deployment, EventStore).readStream('operator-log', 0, 10_000);
  const idsOf = (type: string) => log.filter((event) => event.type === type).map(({ payload }) => payload['intentId']);
  const completed = new Set(idsOf('operator.completed'));
  expect(idsOf('operator.intended').filter((id) => !completed.has(id))).toEqual([]);
  expect(log.filter(({ payload }) => payload['outcome'] === 'damaged').length).toBeGreaterThan(0);
});

it('goes on with the log after tombstones: a later event is covered, and the log is proven', async () => {
  const conversation = await conversationOf(await newOwner(deployment));
  await untilProven(`conversation-${conversation}`);
});

it('makes a wallet that was deleted no second time', async () => {
  const user = await newOwner(deployment);
  await admin.deleteStream(`wallet-${user.userId}`);
  for (const path of ['/wallet', '/wallet/withdrawals/sources']) expect((await user.get(path)).status).not.toBe(200);
  expect((await operator.get<{ data: object[] }>(`/streams/wallet-${user.userId}/events`)).body.data).toEqual([]);
});

it('is whole again once the metadata are taken back', async () => {
  const user = await newOwner(deployment);
  const conversation = await conversationOf(user);
  await user.request('PATCH', `/conversations/${conversation}`, { title: 'another' });
  const stream = `conversation-${conversation}`;
  await damages.truncateBefore(stream);
  await listed(stream);
  expect((await user.get(`/conversations/${conversation}`)).status).toBe(503);
  await takeBack(stream);
  expect((await user.get(`/conversations/${conversation}`)).status).toBe(200);
  await say(user, conversation);
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

it.each(['truncateBefore', 'deleted', 'tombstoned'] as const)(
  'ends an event stream that is open when its conversation is hit by %s, and answers the next one by name',
  async (damage) => {
    const user = await newOwner(deployment);
    const conversation = await conversationOf(user);
    await say(user, conversation);
    const reader = await user.stream(`/conversations/${conversation}/stream`);
    const seen = await reader.until(({ event }) => event === 'run.ended');
    await damages[damage](`conversation-${conversation}`);
    await reader.ended;
    const seqs = reader.frames.flatMap(({ data: { seq } }) => seq ?? []);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    const again = await user.get(`/conversations/${conversation}/stream?cursor=${String(seen.data.seq)}`);
    expect(again.status).toBe(damage === 'tombstoned' ? 404 : 503);
    if (damage !== 'tombstoned') await takeBack(`conversation-${conversation}`);
  },
);

it.each(['truncateBefore', 'tombstoned'] as const)(
  'lets a run stand still by name whose conversation is hit by %s while a worker has it, and keeps nobody waiting',
  async (damage) => {
    const user = await newOwner(deployment);
    const conversation = await conversationOf(user);
    await user.request('PATCH', `/conversations/${conversation}`, { title: 'another' });
    const runId = await startLongRun(user, conversation);
    const slots = () =>
      sql<{ held: number }>(deployment, 'SELECT count(*)::integer AS held FROM execution_slots WHERE run_id = $1', [
        runId,
      ]);
    await until('it is claimed', async () => ((await slots())[0]?.held === 1 ? true : null));
    await damages[damage](`conversation-${conversation}`);
    await namedAs(`conversation-${conversation}`);
    // The waiting run occupies no slot.
    await until('its slot is free', async () => ((await slots())[0]?.held === 0 ? true : null));
    expect((await user.post(`/agent-runs/${runId}/abort`)).status).toBe(damage === 'tombstoned' ? 404 : 503);
    const { body } = await start(bystander, await conversationOf(bystander));
    expect(await untilEnded(bystander, body.runId)).toMatchObject({ status: 'completed' });
    // A run that can never continue holds no budget either.
    if (damage === 'tombstoned') return untilBooked(user);
    await takeBack(`conversation-${conversation}`);
    await until('it goes on', async () => ((await slots())[0]?.held === 1 ? true : null));
    await user.post(`/agent-runs/${runId}/abort`);
    await untilEnded(user, runId);
  },
);

/**
 * Calls that need each of the deployment's own streams, and calls that work without it. These tests are the last ones, because a tombstone
 * is permanent.
 */
const ofDeployment: Readonly<Record<string, { readonly needs: readonly Call[]; readonly goesOn: readonly Call[] }>> = {
  'audit-checkpoints': {
    needs: [['operator', 'GET', '/checkpoints']],
    goesOn: [
      ['user', 'GET', '/conversations'],
      ['operator', 'GET', '/deployment'],
    ],
  },
  'operator-log': {
    needs: [
      ['operator', 'GET', '/log'],
      ['operator', 'GET', '/streams/operator-log/events'],
    ],
    goesOn: [
      ['user', 'GET', '/conversations'],
      ['operator', 'GET', '/deployment'],
    ],
  },
  'deployment-main': {
    needs: [['operator', 'GET', '/deployment']],
    goesOn: [['user', 'GET', '/conversations']],
  },
};
const categoryOf = (stream: string): string => stream.split('-', 1)[0] ?? '';

describe.each(Object.entries(ofDeployment))('the one stream %s', (stream, { needs, goesOn }) => {
  it.each(['maxCount', 'maxAge', 'truncateBefore', 'deleted', 'tombstoned'] as const)(
    'that is hit by %s',
    async (damage) => {
      for (const control of ['pause', 'resume'])
        await operator.post(`/deployment/controls/withdrawals/${control}`, { reason: 'a test' });
      await damages[damage](stream);
      await listed(stream);
      expect((await namedAs(stream))[1]).toBe('degraded');
      const owner = { user: bystander } as Owner; // reason: these calls use no other member
      // Controls that were read stay valid for half a second.
      for (const call of needs)
        await until(`${call[2]} is 503`, async () => ((await ask(owner, call)).status === 503 ? true : null));
      for (const call of goesOn) expect([call, (await ask(owner, call)).status]).toEqual([call, 200]);
      if (damage === 'tombstoned') return;
      await takeBack(stream);
      for (const call of needs) expect([call, (await ask(owner, call)).status]).toEqual([call, 200]);
    },
  );
});
