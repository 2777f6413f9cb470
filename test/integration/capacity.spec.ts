/** Reliability 3: two replicas that admit runs in parallel keep the execution capacity exactly. */
import { randomUUID } from 'node:crypto';
import { answered } from '@app/testing/journeys';
import type { Answer } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { type Place, places, STARTS, staying, untilFree } from './places';

const CAPACITY = 7;
/** The users share the starts, so that no budget limits them. */
const USERS = 10;

let deployment: Deployment;
beforeAll(async () => {
  const env = { EXECUTION_CAPACITY: String(CAPACITY) };
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2 }, env });
  await deployment.sandbox('PUT', 'faults', staying);
});
afterAll(() => deployment.stop(), 60_000);

/**
 * Starts a run. Repeats the request while the service reports that a store did not answer, which a hundred parallel
 * starts can cause on a slow machine.
 */
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
