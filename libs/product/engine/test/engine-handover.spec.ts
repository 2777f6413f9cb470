/** A process stops in the middle of an answer: the text shown so far stays and is paid for, and the next process asks again. */
import { startWorking } from '@app/composition';
import type { TestClient } from '@app/testing/client';
import { another, eventsOf, runHeldBy, type Stage, startStage, untilStatus } from '@app/testing/journeys';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage('openai-compatible', { LOG_LEVEL: 'silent' });
});
afterAll(() => stage.stop());

/** Starts a run that a worker of its own answers, and stops that worker while the model continues without end. */
async function leftInTheMiddle(user: TestClient) {
  const worker = await startWorking(await another(stage.deployment));
  try {
    const run = await runHeldBy(worker, stage.deployment, user);
    // A reader that joins late gets the earlier text.
    const reader = await user.stream(`/conversations/${run.conversationId}/stream`);
    await reader.untilEvent('agent.text_delta');
    await reader.close();
    stage.models.says([{ text: ['Here it is.'] }]);
    return run;
  } finally {
    await worker.stop();
  }
}

it('the next process asks again as if nothing had been said, and the run pays for both', async () => {
  const user = await stage.deployment.newUser();
  stage.models.says([{ ending: 'endless' }]);
  const { conversationId, runId } = await leftInTheMiddle(user);
  await untilStatus(user, runId, 'completed');

  const [left, whole] = await eventsOf(user, conversationId, 'agent.message');
  expect(left).toMatchObject({ text: expect.stringContaining('and so on, ') as string, truncated: true });
  expect(whole).toMatchObject({ text: 'Here it is.', truncated: false });
  const steps = await eventsOf(user, conversationId, 'agent.step');
  expect(steps).toMatchObject([
    { step: 1, usage: { estimated: true } },
    { step: 2, usage: { estimated: false } },
  ]);
});
