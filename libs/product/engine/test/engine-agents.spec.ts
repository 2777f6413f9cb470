/** Named agents: a profile that names one runs as it, resolved once, when the run is admitted. */
import { conversationOf, journal, say, type Stage, startStage } from '@app/testing/journeys';

const AGENTS = JSON.stringify({
  clerk: [
    { version: '1', instructions: 'Be kind.' },
    {
      version: '2',
      instructions: 'Be brief, says the deployment.',
      tools: ['current_time'],
      effort: 'low',
      maxSteps: 3,
    },
  ],
});

let stage: Stage;
beforeAll(async () => {
  stage = await startStage('openai-compatible', { AGENTS });
});
afterAll(() => stage.stop());

it('a run is its newest version, adds its own instructions, and shows nobody the agent’s', async () => {
  const user = await stage.deployment.newUser();
  const conversationId = await conversationOf(user);
  stage.models.says([{ text: ['Noon.'] }]);
  const profile = { agent: 'clerk', instructions: 'The user is in Berlin.' };
  const run = await say(user, conversationId, 'what time is it', { profile });
  expect(run).toMatchObject({
    status: 'completed',
    request: { profile },
    resolved: { agent: { name: 'clerk', version: '2' }, tools: ['current_time'], effort: 'low', maxSteps: 3 },
  });
  const { asked } = await stage.models.asked(1);
  expect(asked.system).toContain('Be brief, says the deployment.\n\nThe user is in Berlin.');
  expect(asked.tools.map(({ name }) => name)).toEqual(['current_time']);
  expect(JSON.stringify([run, await journal(user, conversationId)])).not.toContain('says the deployment');
});
