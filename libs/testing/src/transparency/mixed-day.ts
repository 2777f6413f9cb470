import { setTimeout as sleep } from 'node:timers/promises';
import { CheckpointEvents, checkpointsStream } from '@app/audit';
import { connectEventStore, EventStore } from '@app/event-store';
import type { Deployment } from '../deployment';
import {
  approve,
  asking,
  atRest,
  confirm,
  conversationOf,
  invoke,
  newOwner,
  prepare,
  say,
  seededRandom,
  Journey,
  sql,
  trustedAutomation,
  untilEnded,
  untilOperation,
  usdc,
} from '../journeys';
import { until } from '../until';

/** Enough for more than one tile. */
const talkersCount = 6;
const wanted = 'parley_checkpoint_wanted';

/** Plays a mixed day: chats, an aborted run, an approval, a withdrawal, an automation that fires. */
export async function mixedDay(deployment: Deployment, seed: number): Promise<void> {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  const owner = await newOwner(deployment);
  const talkers = await Promise.all(Array.from({ length: talkersCount }, () => deployment.newUser()));
  const random = seededRandom(seed);
  const journeys = talkers.map((talker) => new Journey(talker, random));
  try {
    await Promise.all([moveMoney(owner), ...journeys.map((journey) => journey.walk())]);
  } finally {
    for (const journey of journeys) await journey.close();
  }
  await checkpointed(deployment);
  const { id } = await trustedAutomation(owner);
  await invoke(owner, id);
  await say(owner, await conversationOf(owner), 'repeat after me: good night');
  await atRest(deployment);
  await checkpointed(deployment);
}

async function moveMoney(owner: Awaited<ReturnType<typeof newOwner>>): Promise<void> {
  const prepared = await prepare(owner, usdc, '1000000');
  await confirm(owner, prepared);
  await untilOperation(owner, prepared.operationId);
  const { runId, approval } = await asking(owner, await conversationOf(owner), 'withdraw 1.5 USDC');
  await approve(owner, approval);
  await untilEnded(owner, runId);
}

/** Returns the contents of the log's own stream. */
export async function storedCheckpoints(deployment: Deployment): Promise<ReturnType<CheckpointEvents['result']>> {
  const store = new EventStore(connectEventStore(deployment.eventStoreUrl));
  try {
    const events = new CheckpointEvents();
    for (const event of await store.readStreamRaw(checkpointsStream, 0, 10_000)) events.take(event);
    return events.result();
  } finally {
    await store.dispose();
  }
}

/** Requests a checkpoint until one covers all events that are stored now. @returns the size of the newest */
export async function checkpointed(deployment: Deployment): Promise<number> {
  const [{ count } = { count: 0 }] = await sql<{ count: number }>(
    deployment,
    "SELECT count(*)::integer AS count FROM event_store.events WHERE stream NOT LIKE '$%' AND stream <> 'audit-checkpoints'",
  );
  return until('a checkpoint of all events', async () => {
    const { claims } = await storedCheckpoints(deployment);
    const size = Math.max(0, ...claims.map(({ fixed }) => fixed?.size ?? 0));
    if (size >= count) return size;
    await sql(deployment, `SELECT pg_notify('${wanted}', '')`);
    await sleep(200);
    return null;
  });
}
