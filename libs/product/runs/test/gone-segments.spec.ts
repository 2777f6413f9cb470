/**
 * Runs in conversations that an administrator of the event store tombstoned or deleted: their reservations and slots, and that they hold up
 * no others.
 */
import { connectEventStore, EventStore, Streams } from '@app/event-store';
import { conversationKind } from '@app/conversations';
import { asId, Clock, type ConversationId, type RunId } from '@app/kernel';
import type { TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  approve,
  asking,
  booksOf,
  byOperator,
  conversationOf,
  freeLease,
  holdNextSegment,
  movedFor,
  newOwner,
  partOf,
  sql,
  startStuckRun,
  untilBooked,
  untilEnded,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { setTimeout as sleep } from 'node:timers/promises';
import { v5 as uuidV5 } from 'uuid';

/** An empty EventStoreDB may be named; otherwise it is the embedded one. */
const given = process.env['EVENTSTORE_URL'];
/** Two rounds of the watchdog. */
const roundsMs = 6_000;
const columnsOfRuns = `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'runs'`;
let deployment: Deployment;
let admin: ReturnType<typeof connectEventStore>;
beforeAll(async () => {
  const real = given === undefined ? {} : { EVENTSTORE_URL: given };
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', ...real } });
  admin = connectEventStore(given ?? deployment.eventStoreUrl);
});
afterAll(async () => {
  await admin?.dispose();
  await deployment?.stop();
});

async function untilDamaged(stream: string): Promise<void> {
  await until('the damage is known', async () => partOf(deployment, EventStore).damaged.of(stream));
}

/** A run whose first segment is held by a worker that does not exist, after a step of 2.1 cents. */
async function steppedRun(user: TestClient, conversationId: string) {
  const stuck = await startStuckRun(deployment, user, conversationId);
  const step = {
    type: 'RecordStep',
    at: partOf(deployment, Clock).now(),
    runId: asId<RunId>(stuck.runId),
    attempt: 1,
    model: 'a model',
    inputTokens: 1,
    cachedInputTokens: 0,
    outputTokens: 1,
    costMicroCents: 2_100_000,
    heard: 0,
    estimated: false,
    reasoning: null,
    message: null,
    calls: [],
    returned: [],
    end: null,
  } as const;
  const { cause } = byOperator(user);
  const done = await partOf(deployment, Streams).decide(
    conversationKind,
    asId<ConversationId>(conversationId),
    step,
    cause,
  );
  expect(done.ok).toBe(true);
  return stuck;
}

it('books what the steps of a run have cost, and gives back the rest once no worker has the run', async () => {
  const user = await deployment.newUser();
  const conversationId = await conversationOf(user);
  const { runId, free } = await steppedRun(user, conversationId);
  const stream = `conversation-${conversationId}`;
  await admin.tombstoneStream(stream);
  await untilDamaged(stream);
  await sleep(roundsMs);
  // Its worker may still record a step.
  expect(await booksOf(user)).toEqual({ day: [25, 0], month: [25, 0] });
  await free();
  await untilBooked(user);
  expect(await booksOf(user)).toEqual({ day: [0, 3], month: [0, 3] });
  await sleep(roundsMs);
  expect((await movedFor(user, runId)).sort()).toEqual(['released 25', 'reserved 25', 'spent 3']);
});

it('books nothing a second time that an earlier segment has booked', async () => {
  const user = await newOwner(deployment);
  const conversationId = await conversationOf(user);
  const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
  await untilBooked(user);
  const { day } = await booksOf(user);
  const runKey = uuidV5(runId, user.userId);
  await holdNextSegment(deployment, runKey);
  expect((await approve(user, approval)).status).toBe(200);
  expect((await booksOf(user)).day).toEqual([25, day[1]]);
  await admin.tombstoneStream(`conversation-${conversationId}`);
  await untilDamaged(`conversation-${conversationId}`);
  await freeLease(deployment, runKey);
  await untilBooked(user);
  expect((await booksOf(user)).day).toEqual([0, day[1]]);
});

it('keeps what a run holds whose conversation may be whole again', async () => {
  const user = await deployment.newUser();
  const conversationId = await conversationOf(user);
  const { runId, free } = await steppedRun(user, conversationId);
  const stream = `conversation-${conversationId}`;
  await admin.deleteStream(stream);
  await untilDamaged(stream);
  await free();
  await sleep(roundsMs);
  expect(await booksOf(user)).toEqual({ day: [25, 0], month: [25, 0] });
  expect(await movedFor(user, runId)).toEqual(['reserved 25']);
});

it('gives a run a slot that has lost its own, however many stand still in damaged conversations', async () => {
  const user = await deployment.newUser();
  const [cut, whole] = [await conversationOf(user), await conversationOf(user)];
  const held = await startStuckRun(deployment, user, cut);
  await admin.deleteStream(`conversation-${cut}`);
  await untilDamaged(`conversation-${cut}`);
  await held.free();
  const columns = (await sql<{ name: string }>(deployment, columnsOfRuns)).map(({ name }) => name);
  const others = columns.map((name) => (name === 'run_key' ? 'gen_random_uuid()' : name)).join(', ');
  const more = `INSERT INTO runs (${columns.join(', ')}) SELECT ${others} FROM runs, generate_series(1, 250) WHERE id = $1`;
  await sql(deployment, more, [held.runId]);
  const { runId } = await startStuckRun(deployment, user, whole);
  await sql(deployment, 'DELETE FROM execution_slots WHERE run_id = $1', [runId]);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
});
