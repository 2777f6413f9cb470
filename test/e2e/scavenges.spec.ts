/**
 * Answers to users, operators and auditors after a scavenge has made final what an administrator cut, of each kind of stream and by each
 * kind of cut: at once, after a restart, after the metadata are taken back, and after another restart. Needs an empty EventStoreDB on disk:
 * EVENTSTORE_URL, and EVENTSTORE_SCAVENGE_URL, its HTTP address. The streams that exist once are cut once in a store: SINGLE_CUT names how.
 */
import { connectEventStore } from '@app/event-store';
import { operatorOf, requestJson, type OperatorClient, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, defined, newOwner, say } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { administeredKinds, answerTo, ownerOfAll, type Call, type Owner } from './administered-things';
import { scavenge } from './scavenge';

const [eventStoreUrl = '', scavengeUrl = ''] = [process.env['EVENTSTORE_URL'], process.env['EVENTSTORE_SCAVENGE_URL']];
/** The service notices changes of metadata within seconds; reading all cells takes most of this. */
const noticedWithinMs = 60_000;
const cuts = ['maxCount', 'truncateBefore', 'deleted', 'tombstoned'] as const;
type Cut = (typeof cuts)[number];
const singleCut = cuts.find((cut) => cut === process.env['SINGLE_CUT']) ?? 'truncateBefore';

/** A stream that is cut, and the calls that need it. */
interface Cell {
  readonly kind: string;
  readonly cut: Cut;
  readonly owner: Owner;
  readonly stream: string;
  readonly calls: readonly Call[];
  readonly isOfOneEvent: boolean;
}

/** The statuses of a stream's calls, the state that operators read, and whether auditors find events missing. */
interface Seen {
  readonly answers: readonly number[] | 'fine';
  readonly state: string;
  readonly isMissing: boolean;
}

let deployment: Deployment;
let admin: EventStoreDBClient;
let database: Client;
let operator: OperatorClient;
/** The owner of a whole one of each kind. */
let whole: Owner;
const cells: Cell[] = [];
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'together',
    degraded: true, // after the cuts
    eventStoreUrl,
    env: { LOG_LEVEL: 'silent' },
  });
  admin = connectEventStore(eventStoreUrl);
  database = new Client({ connectionString: deployment.databaseUrl });
  database.on('error', () => undefined); // the database ends with the deployment
  await database.connect();
  operator = await anOperator();
  whole = await ownerOfAll(deployment, operator);
}, 300_000);
afterAll(async () => {
  await admin?.dispose();
  await database?.end();
  await deployment?.stop();
});

/** Creates a stream of each kind for each cut. */
async function makeCells(): Promise<void> {
  for (const [kind, { stream, calls, isOfOneEvent = false }] of Object.entries(administeredKinds)) {
    const owners = await Promise.all(cuts.map(() => ownerOfAll(deployment, operator)));
    for (const [at, owner] of owners.entries()) {
      const cut = cuts[at] ?? 'maxCount';
      cells.push({ kind, cut, owner, stream: stream(owner), calls: calls(owner), isOfOneEvent });
    }
  }
  // A key has one event; its revocation is the second one.
  for (const { kind, owner, calls } of cells)
    if (kind === 'partner' && calls[0] !== undefined) await answerTo(owner, operator, calls[0]);
}

const anOperator = () =>
  operatorOf(deployment, ['audit', 'deployment', 'users', 'projections', 'keys', 'webhooks', 'runs']);

async function cutStream(stream: string, cut: Cut): Promise<void> {
  if (cut === 'tombstoned') await admin.tombstoneStream(stream);
  else if (cut === 'deleted') await admin.deleteStream(stream);
  else await admin.setStreamMetadata(stream, cut === 'maxCount' ? { maxCount: 1 } : { truncateBefore: 1 });
}

/** Kills the service, and starts it again. */
async function restart(): Promise<void> {
  await deployment.apis[0]?.restart();
}

/** Takes back the metadata of a stream; after a soft delete the first write only begins the stream anew. */
async function takeBack(stream: string): Promise<void> {
  for (let n = 0; n < 2; n += 1) await admin.setStreamMetadata(stream, {});
}

const readiness = async () =>
  (
    await requestJson<{ status: string; checks: Record<string, string> }>(
      'GET',
      `http://127.0.0.1:${deployment.managementPorts[0]}/readyz`,
    )
  ).body;

async function seenOf({ owner, stream, calls }: Cell): Promise<Seen> {
  const shown = await operator.get<{ integrity: { state: string } }>(`/streams/${stream}/events`);
  const verified = await operator.get<{ faults: { kind: string }[] }>(`/streams/${stream}/verify`);
  const { state } = shown.body.integrity;
  const isMissing = verified.body.faults.some(({ kind }) => kind === 'missing');
  // An event stream of a whole conversation stays open, so the other calls are made only where the first one is refused.
  const [first, ...others] = calls;
  if (first === undefined) throw new Error('there is a call');
  const answers = [(await answerTo(owner, operator, first)).status];
  if ((answers[0] ?? 0) < 300) return { answers: 'fine', state, isMissing };
  for (const call of others) answers.push((await answerTo(owner, operator, call)).status);
  return { answers, state, isMissing };
}

/** Returns how a stream must look once it is cut. */
function expectedOf({ cut, calls, isOfOneEvent }: Cell, isTakenBack: boolean): Seen {
  if (cut === 'tombstoned') return { answers: calls.map(() => 404), state: 'tombstoned', isMissing: true };
  // A scavenge keeps the last event of each stream, so a single event is there again once nothing hides it.
  if (isOfOneEvent && (cut === 'maxCount' || isTakenBack)) return { answers: 'fine', state: 'whole', isMissing: false };
  const isDeleted = !isTakenBack && (cut === 'deleted' || (isOfOneEvent && cut === 'truncateBefore'));
  return { answers: calls.map(() => 503), state: isDeleted ? 'deleted' : 'truncated', isMissing: true };
}

/** Compares all cells at once, after the service has noticed each change of metadata. */
async function expectEverywhere(isTakenBack: boolean): Promise<void> {
  const named = ({ kind, cut }: Cell, seen: Seen) => [`${kind} ${cut}`, seen] as const;
  const expected = cells.map((cell) => named(cell, expectedOf(cell, isTakenBack)));
  const look = async () => {
    const seen: (readonly [string, Seen])[] = [];
    for (const cell of cells) seen.push(named(cell, await seenOf(cell)));
    return seen;
  };
  operator = await anOperator();
  const deadline = performance.now() + noticedWithinMs;
  let seen = await look();
  while (!isDeepStrictEqual(seen, expected) && performance.now() < deadline) {
    await sleep(500);
    seen = await look();
  }
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
  expect((await readiness()).status).toBe('degraded');
  await expectOthersWhole();
}

/** Expects that another user's things of every kind answer, and that the log covers what happens now. */
async function expectOthersWhole(): Promise<void> {
  for (const { calls, stream } of Object.values(administeredKinds)) {
    const [first] = calls(whole);
    // Revoking a key twice, or a change of an endpoint, is fine as well.
    if (first !== undefined)
      expect([first, (await answerTo(whole, operator, first)).status < 300]).toEqual([first, true]);
    const { body } = await operator.get(`/streams/${stream(whole)}/verify`);
    expect([stream(whole), body]).toEqual([stream(whole), expect.objectContaining({ damage: null, faulty: 0 })]);
  }
  const bystander = await newOwner(deployment);
  const conversation = await conversationOf(bystander);
  expect(await say(bystander, conversation)).toMatchObject({ status: 'completed' });
  await defined(bystander);
  await untilProven(`conversation-${conversation}`);
}

/** Waits until a checkpoint of the log covers all events of a stream. */
const untilProven = (stream: string) =>
  until(`${stream} is proven`, async () => {
    await database.query("SELECT pg_notify('parley_checkpoint_wanted', '')");
    const { body } = await operator.get<{ proven: number; faulty: number }>(`/streams/${stream}/verify`);
    return body.proven > 0 && body.faulty === 0 ? true : null;
  });

/** Waits until a checkpoint covers every stream that will be cut, so that auditors can miss its events. */
async function untilAllProven(): Promise<void> {
  operator = await anOperator();
  for (const { stream } of cells) await untilProven(stream);
}

it('a scavenge makes every cut final, of each kind of stream, whatever is restarted or taken back', async () => {
  await makeCells();
  await untilAllProven();
  for (const { stream, cut } of cells) await cutStream(stream, cut);
  await expectEverywhere(false);
  await scavenge(admin, scavengeUrl);
  await expectEverywhere(false);
  await restart();
  await expectEverywhere(false);
  for (const { stream, cut } of cells) if (cut !== 'tombstoned') await takeBack(stream);
  await expectEverywhere(true);
  await restart();
  await expectEverywhere(true);
}, 1_800_000);

it('every read model can be rebuilt after it', async () => {
  operator = await anOperator();
  const { body } = await operator.get<{ data: { name: string }[] }>('/projections');
  for (const { name } of body.data)
    expect((await operator.post(`/projections/${name}/rebuild`, { reason: 'a test' })).status).toBe(202);
  const ended = await until('every rebuild has ended', async () => {
    const { data } = (await operator.get<{ data: { projection: string; state: string }[] }>('/rebuilds')).body;
    return data.some(({ state }) => ['building', 'catching_up', 'comparing'].includes(state)) ? null : data;
  });
  expect(ended.map(({ projection, state }) => [projection, state]).sort()).toEqual(
    body.data.map(({ name }) => [name, 'ready']).sort(),
  );
  await expectOthersWhole();
}, 900_000);

it(`the three streams that exist once, cut by ${singleCut}: what needs them is refused by name, and everything else goes on`, async () => {
  const streams = ['audit-checkpoints', 'deployment-main', 'operator-log'];
  operator = await anOperator();
  for (const control of ['pause', 'resume'])
    await operator.post(`/deployment/controls/withdrawals/${control}`, { reason: 'a test' });
  for (const stream of streams) await cutStream(stream, singleCut);
  await scavenge(admin, scavengeUrl);
  await expectThreeNamed(streams);
  await restart();
  await expectThreeNamed(streams);
  if (singleCut === 'tombstoned') return; // nothing takes it back
  for (const stream of streams) await takeBack(stream);
  await expectThreeNamed(streams);
  await restart();
  await expectThreeNamed(streams);
}, 900_000);

async function expectThreeNamed(streams: readonly string[]): Promise<void> {
  for (const stream of streams)
    await until(`${stream} is named`, async () => {
      const { checks } = await readiness();
      return Object.keys(checks).some((check) => check.startsWith(`stream ${stream} `)) || null;
    });
  for (const path of ['/checkpoints', '/log', '/deployment'])
    await until(`${path} is refused`, async () => (await operator.get(path)).status === 503 || null);
  const user: TestClient = whole.user;
  expect((await user.get('/conversations')).status).toBe(200);
}
