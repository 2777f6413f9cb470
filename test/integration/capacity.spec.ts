/** Reliability 3: execution capacity is held exactly by two replicas that admit at the same time. */
import { randomUUID } from 'node:crypto';
import { answered } from '@app/testing/journeys';
import type { Answer } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { type Place, places, STARTS, staying, untilFree } from './places';

const CAPACITY = 7;
/** Users share the starts, so that no budget stands in the way. */
const USERS = 10;

let deployment: Deployment;
beforeAll(async () => {
  const env = { EXECUTION_CAPACITY: String(CAPACITY) };
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2 }, env });
  await deployment.sandbox('PUT', 'faults', staying);
});
afterAll(() => deployment.stop(), 60_000);

/** Starts a run, and asks again while the service says that a store did not answer, which a hundred at once can make of a slow machine. */
function start({ client, conversationId }: Place): Promise<Answer<{ runId: string; reason?: string }>> {
  const asked = { conversationId, runId: randomUUID(), input: { text: 'repeat after me: these few words' } };
  return answered(() => client.post('/agent-runs', asked), { orStatus: 409 });
}

test('of a hundred starts at once exactly as many are admitted as there is capacity, and again once it is free', async () => {
  const all = await places(deployment, USERS);
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
    await untilFree(deployment, all[0]!);
  }
});
