/** Execution capacity is one number for the deployment, held exactly by two replicas that admit at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, TestClient } from '../support/deployment-client';
import { startDeployment, type Deployment } from '../support/deployment';

const CAPACITY = 7;
const STARTS = 100;
/** Users share the starts, so that no budget stands in the way. */
const USERS = 10;
const WITHIN_MS = 30_000;

let deployment: Deployment;
beforeAll(async () => {
  const env = { EXECUTION_CAPACITY: String(CAPACITY) };
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2, worker: 2 }, env });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
}, 60_000);
afterAll(() => deployment.stop(), 60_000);

interface Place {
  readonly client: TestClient;
  readonly conversationId: string;
}

async function places(): Promise<Place[]> {
  const users = await Promise.all(Array.from({ length: USERS }, () => deployment.newUser()));
  return Promise.all(
    Array.from({ length: STARTS }, async (_, index) => {
      const client = users[index % USERS]!.via(deployment.baseUrls[Math.floor(index / USERS) % 2]!);
      const { body } = await client.post<{ id: string }>('/conversations', {});
      return { client, conversationId: body.id };
    }),
  );
}

const start = ({ client, conversationId }: Place): Promise<Answer<{ runId: string; reason?: string }>> =>
  client.post('/agent-runs', { conversationId, input: { text: 'repeat after me: these few words' } });

test('of a hundred starts at once exactly as many are admitted as there is capacity, and again once it is free', async () => {
  const all = await places();
  for (let round = 0; round < 2; round += 1) {
    const answers = await Promise.all(all.map(async (place) => ({ place, ...(await start(place)) })));
    const admitted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    process.stdout.write(
      `reliability 3: capacity ${CAPACITY}, ${STARTS} starts at once on two replicas: ${admitted.length} admitted\n`,
    );
    expect(admitted.length).toBe(CAPACITY);
    const reasons = new Set(refused.map(({ status, body }) => `${status} ${body.reason}`));
    expect(reasons).toEqual(new Set(['409 execution_capacity']));
    await Promise.all(admitted.map(({ place, body }) => place.client.post(`/agent-runs/${body.runId}/abort`)));
    await untilFree(all[0]!);
  }
}, 180_000);

/** Slots are given back by whoever sees the ends of the runs, a moment after them. */
async function untilFree(place: Place): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const { body } = await place.client.get<{ snapshots: { reservedCents: number }[] }>('/budget');
    if (body.snapshots.every(({ reservedCents }) => reservedCents === 0)) break;
    expect(performance.now()).toBeLessThan(deadline);
    await sleep(50);
  }
  await sleep(1_000);
}
