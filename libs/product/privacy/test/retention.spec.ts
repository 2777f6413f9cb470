/** `RETENTION_ARCHIVED_DAYS`: the words and files of a conversation that was archived so long ago are closed, and nothing else is. */
import { EventStore } from '@app/event-store';
import { operatorOf, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  approve,
  asking,
  conversationOf,
  moveClock,
  newOwner,
  outcomeOf,
  partOf,
  prompt,
  providerFault,
  raw,
  say,
  sql,
  untilEnded,
  type Listed,
} from '@app/testing/journeys';
import { unlikeTheEvents } from '@app/testing/audits';
import { until } from '@app/testing/until';

const gone = { erased: true };
const dayS = 86_400;
const withinMs = 120_000;

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    replicas: { api: 2 },
    env: { RETENTION_ARCHIVED_DAYS: '1' },
  });
  user = await newOwner(deployment);
}, withinMs);
afterAll(() => deployment.stop());

async function archived(title: string): Promise<string> {
  const id = await conversationOf(user, title);
  await say(user, id, `repeat after me: ${title}`);
  await archive(id);
  return id;
}

async function archive(id: string): Promise<void> {
  expect((await user.post(`/conversations/${id}/archive`)).status).toBe(204);
}

async function upload(id: string): Promise<string> {
  const { status, body } = await raw(user, 'POST', `/conversations/${id}/artifacts?name=secret.txt`, {
    body: 'secret',
  });
  expect(status).toBe(201);
  return String(body['id']);
}

const wordsOf = async (id: string) =>
  JSON.stringify((await user.get<Listed>(`/conversations/${id}/events?limit=100`)).body);
const untilClosed = (id: string) =>
  until(`the end of the words of ${id}`, async () => ((await wordsOf(id)).includes('secret') ? null : true));
const recordOf = async (id: string) => {
  const operator = await operatorOf(deployment, ['audit']);
  return (await operator.get<Listed>(`/streams/retention-${id}/events?limit=10`)).body.data ?? [];
};
const showAs = (status: string, id: string) =>
  sql(deployment, 'UPDATE financial_operations SET status = $1 WHERE conversation_id = $2', [status, id]);
const keysOf = (id: string) =>
  sql<{ wrapped: Buffer | null }>(deployment, "SELECT wrapped FROM sealing_keys WHERE key_id = 'c/' || $1", [id]);

it(
  'closes old archived conversations, and leaves those that are newer, not archived, or have money in flight',
  async () => {
    const filed = await conversationOf(user, 'secret one');
    await say(user, filed, 'repeat after me: secret one');
    const artifact = await upload(filed);
    await archive(filed);
    const present = await conversationOf(user, 'secret two');
    const paying = await conversationOf(user, 'secret three');
    const { approval, runId } = await asking(user, paying, 'withdraw 0.5 USDC');
    await approve(user, approval);
    await untilEnded(user, runId);
    await outcomeOf(user, approval.id);
    await archive(paying);
    // The sandbox settles within an hour: shows the operation as one that is still in flight.
    await showAs('submitted', paying);
    await moveClock(deployment, 0.5 * dayS);
    const newer = await archived('secret four');
    const [key] = await keysOf(filed);
    await moveClock(deployment, 0.6 * dayS);
    await untilClosed(filed);
    const content = await raw(user, 'GET', `/conversations/${filed}/artifacts/${artifact}/content`, {});
    expect(content.status).toBe(404);
    const { body } = await user.get<Listed>('/conversations?archived=true&limit=50');
    expect(body.data.find(({ id }) => id === filed)).toMatchObject({ title: gone });
    const headers = { 'content-type': 'application/json' };
    const title = JSON.stringify({ title: 'again' });
    expect((await raw(user, 'PATCH', `/conversations/${filed}`, { body: title, headers })).status).toBe(404);
    const started = await user.post('/agent-runs', { conversationId: filed, input: { text: 'hello' } });
    expect([started.status, started.body['type']]).toEqual([404, 'urn:parley:error:not_found']);
    const record = await until('the record', async () => ((await recordOf(filed)).length > 0 ? recordOf(filed) : null));
    expect(record).toMatchObject([
      { type: 'retention.words_closed', payload: { afterDays: 1, artifacts: 1, artifactsKept: 0 } },
    ]);
    for (const id of [present, paying, newer]) {
      expect(await wordsOf(id)).toContain('secret');
      expect(await recordOf(id)).toEqual([]);
    }
    expect(await sql(deployment, 'SELECT 1 FROM snapshots WHERE stream = $1', [`conversation-${filed}`])).toEqual([]);
    await showAs('settled', paying);
    await untilClosed(paying);

    await sql(deployment, "UPDATE sealing_keys SET wrapped = $2, destroyed_at = NULL WHERE key_id = 'c/' || $1", [
      filed,
      key?.wrapped,
    ]);
    await until('the end of a key that a restore brought back', async () =>
      (await keysOf(filed))[0]?.wrapped === null ? true : null,
    );
    expect(await recordOf(filed)).toHaveLength(1);
    expect(await unlikeTheEvents(deployment.databaseUrl, deployment.eventStoreUrl)).toEqual([]);
  },
  withinMs,
);

it(
  'waits for money that is in flight by the streams, whatever a row says, and closes its conversation afterwards',
  async () => {
    await providerFault(deployment, { settleAfterSeconds: 600 });
    const paying = await conversationOf(user, 'secret five');
    const { approval, runId } = await asking(user, paying, 'withdraw 0.5 USDC');
    await approve(user, approval);
    await untilEnded(user, runId);
    await until('the copy', async () => ((await wordsOf(paying)).includes('operation.submitted') ? true : null));
    await providerFault(deployment, { down: true });
    await archive(paying);
    await showAs('settled', paying);
    for (const title of ['secret six', 'secret seven']) {
      // It is closed by a batch that would have both.
      const other = await archived(title);
      await moveClock(deployment, dayS + 600);
      await untilClosed(other);
      expect(await wordsOf(paying)).toContain('secret');
      expect(await recordOf(paying)).toEqual([]);
    }
    await showAs('submitted', paying);
    await providerFault(deployment, prompt);
    await moveClock(deployment, 601);
    await untilClosed(paying);
    await until('the record', async () => ((await recordOf(paying)).length > 0 ? true : null));
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
    expect(await unlikeTheEvents(deployment.databaseUrl, deployment.eventStoreUrl)).toEqual([]);
  },
  2 * withinMs,
);

it(
  'closes the others where one cannot be recorded',
  async () => {
    const broken = await archived('secret five');
    const others = [await archived('secret six'), await archived('secret seven')];
    const store = partOf(deployment, EventStore);
    await store.client.tombstoneStream(`retention-${broken}`);
    await moveClock(deployment, 1.5 * dayS);
    for (const id of others) await until('the record', async () => ((await recordOf(id)).length > 0 ? true : null));
    await untilClosed(broken);
  },
  withinMs,
);
