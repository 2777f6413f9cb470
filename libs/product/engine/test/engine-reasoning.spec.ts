/** A model's reasoning, from its provider to the journal of the conversation, and no further. */
import type { Provider, Scripted } from '@app/testing/models';
import type { TestClient } from '@app/testing/client';
import {
  conversationOf,
  eventsOf,
  expectProblem,
  journal,
  journalTypes,
  type Listed,
  say,
  type Stage,
  start,
  startStage,
} from '@app/testing/journeys';

const clock: Scripted = { reasoning: ['I need ', 'the time.'], calls: [{ tool: 'current_time', input: {} }] };
const noon: Scripted = { reasoning: ['So it is noon.'], text: ['Noon.'] };

describe.each<Provider>(['openai-compatible', 'anthropic'])('a run on a model of %s that thinks', (provider) => {
  let stage: Stage;
  let user: TestClient;
  let conversationId: string;
  beforeAll(async () => {
    stage = await startStage(provider);
    user = await stage.deployment.newUser();
  });
  beforeEach(async () => {
    conversationId = await conversationOf(user);
  });
  afterAll(() => stage.stop());

  it('journals what it thought right before what it said or called, live before that', async () => {
    const reader = await user.stream(`/conversations/${conversationId}/stream`);
    stage.models.says([clock, noon]);
    const run = await say(user, conversationId, 'what time is it');
    await reader.untilEvent('run.ended');
    await reader.close();
    expect((await journalTypes(user, conversationId)).slice(2)).toEqual([
      'agent.step',
      'agent.reasoning',
      'tool.called',
      'tool.returned',
      'agent.step',
      'agent.reasoning',
      'agent.message',
      'run.ended',
    ]);
    const thoughts = await eventsOf(user, conversationId, 'agent.reasoning');
    expect(thoughts).toMatchObject([
      { runId: run['id'], text: 'I need the time.', truncated: false },
      { runId: run['id'], text: 'So it is noon.', truncated: false },
    ]);
    const [said] = await eventsOf(user, conversationId, 'agent.message');
    expect(new Set([...thoughts, said].map((event) => event?.['messageId'])).size).toBe(3);
    const live = reader.frames.filter(({ event }) => event === 'agent.reasoning_delta');
    const shown = (messageId: unknown) =>
      live.map(({ data }) => data.payload).flatMap((one) => (one['messageId'] === messageId ? [one['text']] : []));
    for (const { messageId, text } of thoughts) expect(shown(messageId).join('')).toBe(text);
  });

  it('is never sent its thoughts back, and they are no message of the conversation', async () => {
    stage.models.says([clock, noon, { text: ['Still noon.'] }]);
    await say(user, conversationId, 'what time is it');
    await say(user, conversationId, 'and now?');
    for (const { asked } of stage.models.requests) expect(JSON.stringify(asked.body)).not.toMatch(/I need|So it is/);
    const { body } = await user.get<Listed>(`/conversations/${conversationId}/messages`);
    const texts = body.data.map(({ text }) => text);
    expect(texts.toSorted()).toEqual(['Noon.', 'Still noon.', 'and now?', 'what time is it']);
  });

  it('is not shown thinking where the profile leaves it out', async () => {
    const reader = await user.stream(`/conversations/${conversationId}/stream`);
    stage.models.says([noon]);
    const run = await say(user, conversationId, 'what time is it', { profile: { reasoning: false } });
    await reader.untilEvent('run.ended');
    await reader.close();
    expect(run).toMatchObject({ resolved: { reasoning: false }, response: { text: 'Noon.' } });
    expect(reader.frames.map(({ event }) => event).filter((type) => type?.includes('reasoning'))).toEqual([]);
  });

  it('that is aborted while it thinks keeps what was shown of that, marked', async () => {
    const reader = await user.stream(`/conversations/${conversationId}/stream`);
    stage.models.says([{ reasoning: ['Let me ', 'see.'], text: ['Noon.'], pauseMs: 60_000 }]);
    const { runId } = (await start(user, conversationId, 'what time is it')).body;
    await reader.untilEvent('agent.reasoning_delta');
    expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: true });
    await reader.close();
    expect((await journalTypes(user, conversationId)).slice(2)).toEqual([
      'run.stopping',
      'agent.step',
      'agent.reasoning',
      'run.ended',
    ]);
    const [thought] = await eventsOf(user, conversationId, 'agent.reasoning');
    const shown = reader.frames.filter(({ event }) => event === 'agent.reasoning_delta');
    const text = shown.map(({ data }) => String(data.payload['text'])).join('');
    expect(thought).toMatchObject({ truncated: true });
    expect(String(thought?.['text']).startsWith(text)).toBe(true);
  });

  it('is told its temperature and its effort, and says what each step used of the cache', async () => {
    const usage = { inputTokens: 1_000, cachedInputTokens: 900, outputTokens: 10 };
    stage.models.says([
      { ...clock, usage },
      { ...noon, usage },
    ]);
    const profile = { temperature: 0.7, effort: 'high' };
    const run = await say(user, conversationId, 'what time is it', { profile });
    expect(run).toMatchObject({
      request: { profile },
      resolved: profile,
      usage: { inputTokens: 2_000, cachedInputTokens: 1_800, outputTokens: 20 },
    });
    const { temperature, reasoning_effort: effort, output_config: config } = (await stage.models.asked(2)).asked.body;
    expect([temperature, effort ?? config]).toEqual([0.7, provider === 'anthropic' ? { effort: 'high' } : 'high']);
    const steps = (await journal(user, conversationId)).filter(({ payload }) => payload.type === 'agent.step');
    expect(steps.map(({ payload }) => payload)).toMatchObject([
      { model: 'scripted-1', usage },
      { model: 'scripted-1', usage },
    ]);
  });

  it('is refused a temperature or an effort that nothing could take', async () => {
    const profile = { temperature: 2.5, effort: 'extreme', reasoning: 'no', agent: '' };
    const refused = await start(user, conversationId, 'hello', { profile });
    const at = ['agent', 'temperature', 'effort', 'reasoning'].map((name) => `/profile/${name}`);
    expectProblem(refused, 'invalid_input', { at });
    const unknown = await start(user, conversationId, 'hello', { profile: { agent: 'nobody' } });
    expectProblem(unknown, 'invalid_input', { at: ['/profile/agent'] });
  });
});
