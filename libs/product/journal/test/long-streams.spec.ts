/** A stream that its client reads is no idle connection, however short their timeout is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { conversationOf, say } from '@app/testing/journeys';

const quietSeconds = 1;

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  const bounds = { CONNECTION_QUIET_SECONDS: String(quietSeconds), TRANSFER_SECONDS: String(quietSeconds) };
  deployment = await startDeployment({ mode: 'in-process', env: bounds });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  user = await deployment.newUser();
});
afterAll(() => deployment.stop());

it('a live stream outlives the time that connections may be quiet, and an answer may take', async () => {
  const conversationId = await conversationOf(user);
  const stream = await user.stream(`/conversations/${conversationId}/stream`);
  let isOver = false;
  void stream.ended.then(() => (isOver = true));
  await stream.untilEvent('conversation.created');
  await sleep(4_000 * quietSeconds);
  expect(isOver).toBe(false);
  await say(user, conversationId);
  await stream.untilEvent('run.ended');
  await stream.close();
}, 60_000);
