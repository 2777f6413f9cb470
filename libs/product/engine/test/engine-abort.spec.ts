/** Issue 4, item 6: an abort reaches the provider within a second, at any point of a step. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Provider, RecordedRequest, Script } from '@app/testing/models';
import type { TestClient } from '@app/testing/client';
import {
  conversationOf,
  eventsOf,
  journalTypes,
  say,
  type Stage,
  start,
  startStage,
  untilStatus,
} from '@app/testing/journeys';

const RETRY_AFTER_SECONDS = 30;
const providers: readonly Provider[] = ['openai-compatible', 'anthropic'];

describe.each(providers)('runs.abort of a run on a model of %s', (provider) => {
  let stage: Stage;
  let user: TestClient;
  beforeAll(async () => {
    stage = await startStage(provider);
    user = await stage.deployment.newUser();
  });
  afterAll(() => stage.stop());

  /** Starts a run on the script and aborts it once the model was asked. */
  async function abortOf(script: Script, onceAsked: () => Promise<unknown> = () => sleep(100)) {
    stage.models.says(script);
    const conversationId = await conversationOf(user);
    const { runId } = (await start(user, conversationId, 'go on')).body;
    const request = await stage.models.asked(1);
    await onceAsked();
    const abortedAtMs = performance.now();
    const answer = await user.post(`/agent-runs/${runId}/abort`);
    expect([answer.status, answer.body]).toEqual([200, { aborted: true }]);
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({
      status: 'aborted',
      response: null,
      output: null,
      failure: null,
    });
    return { conversationId, request, abortedAtMs };
  }

  async function expectClosed(request: RecordedRequest, abortedAtMs: number): Promise<void> {
    const over = await request.over;
    expect(over.how).toBe('closed');
    expect(over.atMs).toBeGreaterThan(abortedAtMs);
    process.stdout.write(
      `${provider}: the upstream socket closed ${Math.round(over.atMs - abortedAtMs)} ms after runs.abort was sent\n`,
    );
  }

  it('closes the socket of a model that speaks and speaks', async () => {
    const { conversationId, request, abortedAtMs } = await abortOf([{ ending: 'endless' }]);
    await expectClosed(request, abortedAtMs);
    // The text so far stays, and is paid for.
    expect((await journalTypes(user, conversationId)).slice(2)).toEqual([
      'run.stopping',
      'agent.step',
      'agent.message',
      'run.ended',
    ]);
    const [said] = await eventsOf(user, conversationId, 'agent.message');
    expect(said).toMatchObject({ text: expect.stringContaining('and so on, ') as string, truncated: true });
    const [ended] = await eventsOf(user, conversationId, 'run.ended');
    expect(ended).toMatchObject({
      status: 'aborted',
      usage: { estimated: true, costCents: expect.any(Number) as number },
    });
    expect(ended?.['usage']).not.toMatchObject({ costCents: 0 });
    expect(stage.models.requests.length).toBe(1);
  });

  it('closes the socket of a model that says nothing', async () => {
    const { request, abortedAtMs } = await abortOf([{ ending: 'silent' }]);
    await expectClosed(request, abortedAtMs);
  });

  it('closes the socket of a later step, and keeps the steps before', async () => {
    const calls = [{ tool: 'current_time', input: {} }];
    const { conversationId, abortedAtMs } = await abortOf([{ calls }, { ending: 'endless' }], () =>
      stage.models.asked(2).then(() => sleep(50)),
    );
    await expectClosed(await stage.models.asked(2), abortedAtMs);
    expect(await eventsOf(user, conversationId, 'agent.step')).toHaveLength(2);
    expect(await eventsOf(user, conversationId, 'tool.returned')).toMatchObject([{ outcome: 'ok' }]);
  });

  it('does not ask again when it comes while the provider is given time', async () => {
    const busy = { status: 429, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } };
    const { abortedAtMs } = await abortOf([busy]);
    expect(performance.now() - abortedAtMs).toBeLessThan(RETRY_AFTER_SECONDS * 1_000);
    expect(stage.models.requests.length).toBe(1);
  });

  it('leaves the conversation to the next run', async () => {
    const { conversationId } = await abortOf([{ ending: 'endless' }]);
    stage.models.says([{ text: ['Here ', 'again.'] }]);
    expect(await say(user, conversationId, 'and now?')).toMatchObject({
      status: 'completed',
      response: { text: 'Here again.' },
    });
  });

  it('loses nothing when an end and an abort cross', async () => {
    stage.models.says([{ text: ['Just ', 'in ', 'time.'], pauseMs: 5 }]);
    const ends = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const conversationId = await conversationOf(user);
        const { runId } = (await start(user, conversationId, 'be quick')).body;
        await sleep(index * 12);
        const { body } = await user.post(`/agent-runs/${runId}/abort`);
        const { status } = await untilStatus(user, runId, 'completed', 'aborted');
        const types = await journalTypes(user, conversationId);
        return {
          agrees: body['aborted'] === (status === 'aborted'),
          ended: types.filter((type) => type === 'run.ended'),
        };
      }),
    );
    expect(ends).toEqual(ends.map(() => ({ agrees: true, ended: ['run.ended'] })));
  });
});
