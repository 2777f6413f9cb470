import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, expectProblem, missingId, say } from '@app/testing/journeys';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
});
afterAll(() => deployment.stop());

it('adds up what all runs of a conversation have used, as soon as they are over', async () => {
  const user = await deployment.newUser();
  const conversationId = await conversationOf(user);
  const nothing = { runs: 0, inputTokens: 0, outputTokens: 0, costCents: 0, estimated: false };
  const usage = async () => (await user.get(`/conversations/${conversationId}/usage`)).body;
  expect(await usage()).toEqual(nothing);
  await say(user, conversationId, 'Repeat   after ME:  one  two ');
  expect(await usage()).toEqual({ ...nothing, runs: 1, inputTokens: 5, outputTokens: 2, costCents: 1 });
  await say(user, conversationId, 'Repeat   after ME:  one  two ');
  expect(await usage()).toMatchObject({ runs: 2, outputTokens: 4, costCents: 2 });
  expectProblem(await user.get(`/conversations/${missingId}/usage`), 'not_found');
});
