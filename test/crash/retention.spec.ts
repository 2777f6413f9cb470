/**
 * Issue 40: the worker that closes archived conversations is killed between any two of its steps, and another one continues. Exactly the
 * conversations that are due are closed, each once, and every other word stays open.
 */
import { settled, unbalanced, unlikeAReplay, unlikeTheEvents } from '@app/testing/audits';
import type { TestClient } from '@app/testing/client';
import { readAllEvents } from '@app/testing/event-log';
import type { Deployment } from '@app/testing/deployment';
import { conversationOf, moveClock, newOwner, raw, say, sql, type Listed } from '@app/testing/journeys';
import type { TestProcess } from '@app/testing/processes';
import { until } from '@app/testing/until';
import type { KillOrders } from './kill-orders';
import { disarmed, startKillable, type Killable } from './killable';

const TIMEOUT_MS = 600_000;
const daySeconds = 86_400;
/** Conversations that become due in each round: they are closed in one batch. */
const dueAtOnce = 3;
/** After the keys, the files and the table of keys, and after each record. */
const steps = 3 + dueAtOnce;

let killable: Killable;
let deployment: Deployment;
let orders: KillOrders;
beforeAll(async () => {
  killable = await startKillable({
    mode: 'worker-apart',
    replicas: { worker: 2 },
    env: { RETENTION_ARCHIVED_DAYS: '1' },
  });
  ({ deployment, orders } = killable);
}, TIMEOUT_MS);
afterAll(() => killable.stop(), TIMEOUT_MS);

/** Makes a conversation with words and a file; returns its id. */
async function talkOf(user: TestClient): Promise<string> {
  const id = await conversationOf(user, 'secret title');
  await say(user, id, 'repeat after me: secret words');
  const { status } = await raw(user, 'POST', `/conversations/${id}/artifacts?name=secret.txt`, { body: 'secret' });
  expect(status).toBe(201);
  return id;
}

async function archivedOf(user: TestClient): Promise<string> {
  const id = await talkOf(user);
  expect((await user.post(`/conversations/${id}/archive`)).status).toBe(204);
  return id;
}

/** Returns the number of events of a conversation in which an owner reads words. */
async function wordsIn(user: TestClient, id: string): Promise<number> {
  const { status, body } = await user.get<Listed>(`/conversations/${id}/events?limit=100`);
  expect(status).toBe(200);
  return body.data.filter((event) => JSON.stringify(event).includes('secret')).length;
}

/** Leaves the work to one of the two workers: the other one, which restarts, gives up what it leads. */
async function led(round: number): Promise<TestProcess> {
  const [victim, other] = round % 2 === 0 ? deployment.workers : [...deployment.workers].reverse();
  if (victim === undefined || other === undefined) throw new Error('two workers are needed');
  await other.restart();
  return victim;
}

/** Returns the conversations whose end is recorded, one for each record. */
async function recorded(): Promise<readonly string[]> {
  const events = await readAllEvents(deployment.eventStoreUrl);
  return events.filter(({ type }) => type === 'retention.words_closed').map(({ stream }) => stream.slice(10));
}

/** Returns everything that is wrong with conversations that are closed, in words. */
async function findings(user: TestClient, closed: readonly string[]): Promise<string[]> {
  const keys = await sql<{ id: string }>(
    deployment,
    "SELECT substr(key_id, 3) AS id FROM sealing_keys WHERE key_id LIKE 'c/%' AND wrapped IS NULL",
  );
  const events = await readAllEvents(deployment.eventStoreUrl);
  const files = events.flatMap(({ type, payload }) =>
    type === 'retention.words_closed' ? [JSON.stringify([payload['artifacts'], payload['artifactsKept']])] : [],
  );
  const snapshots = closed.map((id) => `conversation-${id}`);
  const found = [
    ...((await recorded()).toSorted().join() === closed.toSorted().join() ? [] : ['the records are of others']),
    ...(keys
      .map(({ id }) => id)
      .toSorted()
      .join() === closed.toSorted().join()
      ? []
      : ['the destroyed keys are of others']),
    ...files.flatMap((counts) => (counts === '[1,0]' ? [] : [`a record says ${counts} files`])),
    ...(await sql(deployment, 'SELECT stream FROM snapshots WHERE stream = ANY($1)', [snapshots])),
  ].map((one) => JSON.stringify(one));
  for (const id of closed) if ((await wordsIn(user, id)) > 0) found.push(`${id} has words`);
  return found;
}

test(
  'what a killed worker began to close is closed by another one, once, and nothing else is',
  async () => {
    const [user, other] = [await newOwner(deployment), await newOwner(deployment)];
    const [present, foreign] = [await talkOf(user), await talkOf(other)];
    const open = await wordsIn(user, present);
    expect(open).toBeGreaterThan(2);
    const closed: string[] = [];
    for (let step = 1; step <= steps; step += 1) {
      const due: string[] = [];
      for (let n = 0; n < dueAtOnce; n += 1) due.push(await archivedOf(user));
      await moveClock(deployment, 0.5 * daySeconds);
      const newer = await archivedOf(user);
      const victim = await led(step);
      await orders.arm(victim, { point: 'retention:step', nth: step });
      await moveClock(deployment, 0.51 * daySeconds);
      await until('the kill', async () => (victim.isAlive ? null : true));
      closed.push(...due);
      await until('the records', async () => ((await recorded()).length >= closed.length ? true : null));
      // It was the other one: this one is dead until `disarmed` starts it.
      expect(victim.isAlive).toBe(false);
      expect([step, await findings(user, closed)]).toEqual([step, []]);
      for (const id of [present, newer]) expect([step, await wordsIn(user, id)]).toEqual([step, open]);
      expect(await wordsIn(other, foreign)).toBe(open);
      await disarmed(killable);
      // It would be due in the middle of the next round.
      closed.push(newer);
      await moveClock(deployment, 0.5 * daySeconds);
      await until('the records', async () => ((await recorded()).length >= closed.length ? true : null));
    }
    const killed = await orders.carriedOut();
    console.log(`killed: ${killed.join(', ')}`);
    expect(killed).toHaveLength(steps);
    const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
    expect(left).toEqual([]);
    expect(await unlikeTheEvents(deployment.databaseUrl, deployment.eventStoreUrl)).toEqual([]);
    expect(await unbalanced(deployment.databaseUrl)).toEqual([]);
    expect(await unlikeAReplay(deployment.databaseUrl, events)).toEqual([]);
  },
  TIMEOUT_MS,
);
