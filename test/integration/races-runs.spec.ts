/** Reliability 3: two apis and two workers race for the same starts, runs, aborts and cents: one decision each. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Budgets } from '@app/budget';
import { openProduct } from '@app/composition';
import { asId, type Cause, type RequestId, type UserId } from '@app/kernel';
import { readConfiguration } from '@app/runtime';
import { auditJournal, settled, unlikeAReplay } from '@app/testing/audits';
import type { Answer, TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';

const full = process.env['FIGURES'] === 'full';
const RACES = Number(process.env['RACES'] ?? (full ? 1_000 : 20));
/** Races that are run at the same time, each on a conversation and for a user of its own. */
const AT_ONCE = 8;
const ENDED_WITHIN_MS = 180_000;
const TIMEOUT_MS = 240_000 + RACES * 2_000;

let deployment: Deployment;
beforeAll(async () => {
  const env = { BUDGET_DAY_CENTS: '100000000', BUDGET_MONTH_CENTS: '100000000', EXECUTION_CAPACITY: '1000' };
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2, worker: 2 }, env });
});
afterAll(() => deployment.stop(), 60_000);

/** The user as seen through each replica. */
const overReplicas = (client: TestClient): TestClient[] => deployment.baseUrls.map((baseUrl) => client.via(baseUrl));

async function open(client: TestClient): Promise<string> {
  const { status, body } = await client.post<{ id: string }>('/conversations', {});
  expect(status).toBe(201);
  return body.id;
}

interface Run {
  readonly runId: string;
  readonly seq: number;
  readonly status: string;
}

async function ended(client: TestClient, runId: string): Promise<Run> {
  const deadline = performance.now() + ENDED_WITHIN_MS;
  for (;;) {
    const { body } = await client.get<Run>(`/agent-runs/${runId}`);
    if (['completed', 'failed', 'aborted'].includes(body.status)) return body;
    if (performance.now() > deadline) throw new Error(`run ${runId} is stuck: ${JSON.stringify(body)}`);
    await sleep(50);
  }
}

/** Both replicas start the same run at once; and every other time both abort it at once, at some moment. */
async function race(client: TestClient, index: number): Promise<void> {
  const conversationId = await open(client);
  const aborting = index % 2 === 1;
  const text = `repeat after me: ${aborting ? 'these words take a while to say' : 'short'}`;
  const asked = { conversationId, runId: randomUUID(), input: { text } };
  const starts = await Promise.all(overReplicas(client).map((replica) => replica.post<Run>('/agent-runs', asked)));
  expect(starts.map(({ status }) => status)).toEqual([202, 202]);
  expect(new Set(starts.map(({ body }) => `${body.runId} ${body.seq}`)).size).toBe(1);
  if (!aborting) {
    expect(await ended(client, asked.runId)).toMatchObject({ status: 'completed' });
    return;
  }
  await sleep(Math.random() * 400);
  const path = `/agent-runs/${asked.runId}/abort`;
  const aborts = await Promise.all(overReplicas(client).map((replica) => replica.post<{ aborted: boolean }>(path)));
  expect(aborts.map(({ status }) => status)).toEqual([200, 200]);
  const recorded = aborts.filter(({ body }) => body.aborted).length;
  const { status } = await ended(client, asked.runId);
  expect({ recorded, status }).toEqual({ recorded: status === 'aborted' ? 1 : 0, status });
}

test(
  'the same start, the same run and the same abort on two replicas: one decision',
  async () => {
    const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => deployment.newUser()));
    let next = 0;
    await Promise.all(
      clients.map(async (client) => {
        while (next < RACES) await race(client, next++);
      }),
    );
    const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
    const unlike = await unlikeAReplay(deployment.databaseUrl, events);
    const audit = auditJournal(events, [], []);
    const count = (type: string) => events.filter((event) => event.type === type).length;
    process.stdout.write(
      `reliability 3: ${RACES} races of two replicas for start, claim and abort: ${count('run.started')} runs started, ` +
        `${count('run.claimed')} claims, ${count('run.ended')} ended, ${audit.doubled.length} doubled, ${audit.stuck.length} stuck\n`,
    );
    const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [], unlike: [] };
    expect({ ...audit, left, unlike }).toEqual(nothing);
    expect([count('run.started'), count('run.ended')]).toEqual([RACES, RACES]);
  },
  TIMEOUT_MS,
);

/** An operator's cap, set from outside of the deployment's processes. */
async function capTo(userId: string, dayCents: number): Promise<void> {
  const { databaseUrl, eventStoreUrl } = deployment;
  const key = Buffer.alloc(32).toString('base64');
  const env = { DATABASE_URL: databaseUrl, EVENTSTORE_URL: eventStoreUrl, PARLEY_SECRET_KEY: key, LOG_LEVEL: 'warn' };
  const product = await openProduct(readConfiguration(env));
  const requestId = asId<RequestId>(randomUUID());
  const actor = { kind: 'service', id: 'test' } as const;
  const cause: Cause = { actor, requestId, correlationId: requestId, causationId: requestId };
  const change = { userId: asId<UserId>(userId), reason: 'a test', cause };
  const set = await product.get(Budgets, { strict: false }).setCaps(change, { dayCents, monthCents: 1_000_000 });
  await product.close();
  expect(set.ok).toBe(true);
}

test('a cap that admits seven admits seven of a hundred starts at once', async () => {
  const client = await deployment.newUser();
  await capTo(client.userId, 7 * 25);
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
  const conversations = await Promise.all(Array.from({ length: 100 }, () => open(client)));
  const replicas = overReplicas(client);
  const answers = await Promise.all(
    conversations.map((conversationId, index): Promise<Answer<{ runId: string; reason?: string }>> => {
      const asked = { conversationId, input: { text: 'repeat after me: these few words' } };
      return replicas[index % 2]!.post('/agent-runs', asked);
    }),
  );
  const admitted = answers.filter(({ status }) => status === 202);
  const refused = answers.filter(({ status }) => status !== 202);
  await Promise.all(admitted.map(({ body }) => client.post(`/agent-runs/${body.runId}/abort`)));
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: null } });
  process.stdout.write(
    `reliability 3: a cap for 7 runs, 100 starts at once on two replicas: ${admitted.length} admitted\n`,
  );
  expect(admitted.length).toBe(7);
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.reason}`))).toEqual(
    new Set(['409 budget_exhausted']),
  );
});
