import { readStore } from '@app/composition';
import { decodeOwn, decodeEvent, EventStore, type StoredEvent } from '@app/event-store';
import { Database, RowCache, ReadGate, Rebuilds, StreamOwners, type AnyProjection } from '@app/read-store';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { applyBatch, emptyReadModel } from '@app/testing/read-models';
import { until } from '@app/testing/until';
import {
  approve,
  asking,
  conversationOf,
  defined,
  giveInput,
  type Listed,
  outcomeOf,
  partOf,
  prepare,
  prompt,
  quiet,
  raw,
  read,
  rule,
  say,
  sql,
  startLongRun,
  untilEnded,
  update,
  usdc,
} from '@app/testing/journeys';
import { v7 as uuidV7 } from 'uuid';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
});
afterAll(() => deployment.stop());

const projections = readStore.projections;

/** The rows of all read models, and their counters. */
async function contents(): Promise<Record<string, readonly unknown[]>> {
  const tables = projections.map(({ row }) => partOf(deployment, Database).source.getMetadata(row).tableName);
  const found: [string, readonly unknown[]][] = [];
  for (const table of tables) found.push([table, await sql(deployment, `SELECT * FROM ${table} ORDER BY 1`)]);
  // A counter of 0 equals a missing one.
  const counters = await sql(deployment, 'SELECT name, total FROM list_counters WHERE total <> 0 ORDER BY 1');
  return Object.fromEntries([...found, ['counters', counters]]);
}

async function allEvents(): Promise<StoredEvent[]> {
  const streams = await sql<{ stream: string }>(deployment, 'SELECT DISTINCT stream FROM event_store.events');
  const store = partOf(deployment, EventStore);
  const categories = new Set(projections.flatMap(({ kinds }) => kinds.map(({ category }) => category)));
  const known = streams.filter(({ stream }) => categories.has(stream.slice(0, stream.indexOf('-'))));
  const events = await Promise.all(known.map(({ stream }) => store.readStreamRaw(stream, 0, 1_000)));
  // A projection gets words sealed.
  const stored = events.flat().flatMap((event) => decodeOwn(event) ?? []);
  return stored.sort((one, other) => one.position - other.position);
}

async function apply(
  projection: AnyProjection,
  batches: readonly StoredEvent[][],
  fromNothing: boolean,
  known?: RowCache,
) {
  await partOf(deployment, Database).transaction(async (manager) => {
    if (fromNothing) await emptyReadModel(manager, projection);
    for (const batch of batches) await applyBatch(manager, projection, batch, known);
  });
}

/** Events that the projection treats as the first of their key although they are not. */
function notFirst(projection: AnyProjection, events: readonly StoredEvent[]): readonly StoredEvent[] {
  const keys = new Set<string>();
  return events.filter((stored) => {
    const kind = projection.kinds.find(({ category }) => stored.stream.startsWith(`${category}-`));
    if (kind === undefined) return false;
    const recorded = decodeEvent(kind, stored);
    const key = projection.keyOf(recorded);
    if (key === null) return false;
    const isKnown = keys.has(key);
    keys.add(key);
    return isKnown && projection.isFirst?.(recorded) === true;
  });
}

/** Defines an automation of the user, which is then signalled, changed and removed. */
async function firedOnce(user: TestClient): Promise<void> {
  const { id } = await defined(user);
  await giveInput(user, id, 'signal');
  const occurrence = await until('the occurrence', async () => {
    const { body } = await user.get<Listed>(`/automations/${id}/occurrences?delivery=accepted`);
    return body.data[0];
  });
  await untilEnded(user, String(occurrence['runId']));
  await update(user, await read(user, id), rule({ name: 'Another name' }));
  await user.request('DELETE', `/automations/${id}`);
}

/** Makes a transfer that the user has approved and that has settled, and one that awaits a decision. */
async function paidOnce(user: TestClient, conversationId: string): Promise<void> {
  await deployment.sandbox('PUT', 'faults', { provider: prompt });
  expect((await user.post('/wallet')).status).toBe(200);
  const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
  await prepare(user, usdc, '1');
}

/** The events grouped by owner, in order. */
async function partitioned(events: readonly StoredEvent[]): Promise<StoredEvent[][]> {
  const many = 10_000;
  const partitionOf = await new StreamOwners(partOf(deployment, EventStore)).partitionsOf(events, many);
  const partitions = [...new Set(events.map(partitionOf))];
  return partitions.map((partition) => events.filter((event) => partitionOf(event) === partition));
}

it('read models and counters are the same however often, and in whatever batches, the events are applied', async () => {
  const user = await deployment.newUser();
  const [busy, archived, live] = [
    await conversationOf(user),
    await conversationOf(user, 'old'),
    await conversationOf(user),
  ];
  await say(user, busy, 'what time is it');
  await say(user, busy);
  await raw(user, 'POST', `/conversations/${busy}/artifacts?name=notes.txt`, { body: 'It rained.' });
  await user.request('PATCH', `/conversations/${busy}`, { title: 'busy' });
  await say(user, archived);
  await user.post(`/conversations/${archived}/archive`);
  const aborted = await startLongRun(user, live);
  await user.post(`/agent-runs/${aborted}/abort`);
  await firedOnce(user);
  await paidOnce(user, busy);
  await quiet(deployment);
  await partOf(deployment, ReadGate).passedAll();

  const [before, events] = [await contents(), await allEvents()];
  expect(before).toMatchObject({
    automations: { length: 1 },
    occurrences: { length: 1 },
    automation_inputs: { length: 1 },
    conversations: { length: 4 },
    runs: { length: 6 },
    budget_reservations: { length: 7 },
    users: { length: 1 },
    partner_keys: { length: 1 },
    artifacts: { length: 1 },
    approvals: { length: 2 },
    financial_operations: { length: 2 },
    activity: { length: 22 },
    counters: { length: 16 },
  });
  // The aborted run leaves its output up to then, if there was any.
  expect([11, 12]).toContain(before['messages']?.length);
  const each = events.map((event) => [event]);
  const byOwner = await partitioned(events);
  for (const projection of projections) {
    // Once more over existing rows: every row remembers the events that it has seen.
    await apply(projection, [events], false);
    await apply(projection, each, false);
    // From nothing: all at once, and one by one with each event twice.
    await apply(projection, [events], true);
    expect(await contents()).toEqual(before);
    await apply(
      projection,
      each.flatMap((batch) => [batch, batch]),
      true,
    );
    expect(await contents()).toEqual(before);
    // As a leading projector does, which does not query rows that it knows or that cannot exist.
    for (const batches of [[events], each]) {
      await apply(projection, batches, true, new RowCache());
      expect(await contents()).toEqual(before);
    }
    // As several projectors do, in any order: no row depends on events of two owners.
    for (const batches of [byOwner, [...byOwner].reverse()]) {
      await apply(projection, batches, true);
      expect(await contents()).toEqual(before);
    }
    expect(notFirst(projection, events)).toEqual([]);
  }
});

it('every read model is rebuilt without a difference, in one reading, and switched to while the service answers', async () => {
  const user = await deployment.newUser();
  const conversation = await conversationOf(user, 'before');
  await say(user, conversation, 'what time is it');
  await quiet(deployment);
  const lists = [
    '/conversations',
    `/conversations/${conversation}/messages`,
    '/agent-runs',
    '/approvals?status=all',
    '/automations',
    '/activity',
  ];
  const answers = () => Promise.all(lists.map(async (list) => (await user.get(list)).body));
  const before = await answers();
  const rebuilds = partOf(deployment, Rebuilds);
  const ids = new Map(projections.map(({ name }) => [uuidV7(), name]));
  for (const [id, name] of ids) expect(await rebuilds.start(id, name, 'a test')).toEqual({ kind: 'done' });
  await until('the rebuilds', async () => {
    const found = await Promise.all([...ids.keys()].map((id) => rebuilds.find(id)));
    return found.every((rebuild) => rebuild?.state === 'ready' || rebuild?.state === 'failed') ? true : null;
  });
  for (const [id, name] of ids) {
    const found = await rebuilds.find(id);
    expect([name, found?.error, found?.differences]).toEqual([
      name,
      null,
      expect.objectContaining({ missing: 0, extra: 0, changed: 0 }),
    ]);
    expect(await rebuilds.switchOver(id, null)).toEqual({ kind: 'done' });
  }
  expect(await answers()).toEqual(before);
  await until('the other tables', async () =>
    partOf(deployment, Database).inTables('{runs}') === 'runs_2' ? true : null,
  );
  expect(await answers()).toEqual(before);
  await say(user, await conversationOf(user, 'after'));
  await quiet(deployment);
  expect((await user.get<{ total: number }>('/conversations')).body.total).toBe(2);
  expect(await sql(deployment, 'SELECT * FROM runs_2 ORDER BY 1')).toEqual(
    await sql(deployment, 'SELECT * FROM runs ORDER BY 1'),
  );
});
