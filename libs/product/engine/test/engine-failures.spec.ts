/** Issue 4, items 1 and 6: whatever a provider does, the run ends with its documented status and reason, in words of our own. */
import type { Provider, Scripted } from '@app/testing/models';
import type { TestClient } from '@app/testing/client';
import {
  anInstant,
  conversationOf,
  eventsOf,
  journal,
  journalTypes,
  say,
  type Stage,
  startStage,
} from '@app/testing/journeys';

const PROVIDERS_WORDS = 'the account acct-4711 of the operator is out of money';
const IDLE_MS = 700;
const TIMEOUT_MS = 2_500;
const RETRIES = 2;
const atOnce = { 'retry-after': '0' };
const providers: readonly Provider[] = ['openai-compatible', 'anthropic'];
const calls = [{ tool: 'current_time', input: {} }];

interface Failing {
  readonly what: string;
  /** The text for its user. */
  readonly text: string;
  readonly script: readonly Scripted[];
  readonly requests: number;
}

const failing: readonly Failing[] = [
  {
    what: 'has no room, again and again (429)',
    text: "The model's provider refused the request for its rate.",
    script: [refusal(429)],
    requests: 1 + RETRIES,
  },
  {
    what: 'is broken (500)',
    text: "The model's provider had an error of its own.",
    script: [refusal(500)],
    requests: 1 + RETRIES,
  },
  {
    what: 'is overloaded (529)',
    text: "The model's provider had an error of its own.",
    script: [refusal(529)],
    requests: 1 + RETRIES,
  },
  {
    what: 'does not know the key (401)',
    text: "The model's provider refused our credentials.",
    script: [refusal(401)],
    requests: 1,
  },
  {
    what: 'forbids it (403)',
    text: "The model's provider refused our credentials.",
    script: [refusal(403)],
    requests: 1,
  },
  {
    what: 'does not understand the request (400)',
    text: "The model's provider refused the request.",
    script: [refusal(400)],
    requests: 1,
  },
  {
    what: 'answers an error in place of a stream (200)',
    text: "The model's provider had an error of its own.",
    script: [refusal(200)],
    requests: 1 + RETRIES,
  },
  {
    what: 'breaks the connection in the middle',
    text: 'The model stopped in the middle of its answer.',
    script: [{ text: ['It is '], ending: 'reset' }],
    requests: 1,
  },
  {
    what: 'ends its answer too early',
    text: 'The model stopped in the middle of its answer.',
    script: [{ text: ['It is '], ending: 'cut' }],
    requests: 1,
  },
  {
    what: 'tells of an error in the middle',
    text: 'The model stopped in the middle of its answer.',
    script: [{ text: ['It is '], ending: 'trouble' }],
    requests: 1,
  },
  {
    what: 'falls silent',
    text: 'The model stopped in the middle of its answer.',
    script: [{ text: ['It is '], ending: 'silent' }],
    requests: 1,
  },
  {
    what: 'never ends',
    text: 'The model did not answer in time.',
    script: [{ ending: 'endless', pauseMs: 20 }],
    requests: 1,
  },
  {
    what: 'answers far too much',
    text: 'The model answered more than a step can hold.',
    script: [{ text: Array<string>(40).fill('x'.repeat(10_000)) }],
    requests: 1,
  },
  { what: 'answers nothing', text: 'The model answered nothing.', script: [{}], requests: 1 },
  { what: 'answers nothing but space', text: 'The model answered nothing.', script: [{ text: [' \n'] }], requests: 1 },
  {
    what: 'ends before it says anything',
    text: 'The model answered nothing.',
    script: [{ ending: 'cut' }],
    requests: 1 + RETRIES,
  },
  {
    what: 'takes too long (504)',
    text: 'The model did not answer in time.',
    script: [refusal(504)],
    requests: 1 + RETRIES,
  },
  {
    what: 'breaks in its second step',
    text: 'The model stopped in the middle of its answer.',
    script: [{ calls }, { text: ['It '], ending: 'reset' }],
    requests: 2,
  },
];

/** The text that the reader of the last answer was shown. */
function spokenIn(script: readonly Scripted[]): readonly string[] {
  const last = script.at(-1) ?? {};
  return 'status' in last ? [] : (last.text ?? []);
}

function refusal(status: number) {
  return { status, headers: atOnce, message: PROVIDERS_WORDS };
}

describe.each(providers)('a provider of %s', (provider) => {
  let stage: Stage;
  let user: TestClient;
  beforeAll(async () => {
    stage = await startStage(provider, {
      MODEL_IDLE_TIMEOUT_MS: String(IDLE_MS),
      MODEL_TIMEOUT_MS: String(TIMEOUT_MS),
      MODEL_RETRIES: String(RETRIES),
      MODEL_BREAKER_FAILURES: '1000',
      BUDGET_DAY_CENTS: '100000',
    });
    user = await stage.deployment.newUser();
  });
  afterAll(() => stage.stop());

  it.each(failing)('that $what: failed, provider_error', async ({ what, script, text, requests }) => {
    stage.models.says(script);
    const conversationId = await conversationOf(user);
    const run = await say(user, conversationId, 'what time is it');
    expect(run).toMatchObject({
      status: 'failed',
      response: null,
      output: null,
      pendingApprovalIds: [],
      endedAt: anInstant,
      failure: { reason: 'provider_error', text },
    });
    expect(stage.models.requests.length).toBe(requests);
    const told = JSON.stringify([run, await journal(user, conversationId), await messagesOf(conversationId)]);
    expect(told).not.toContain('acct-4711');
    expect(told).not.toContain('words of the provider');
    const types = await journalTypes(user, conversationId);
    expect(types.filter((type) => type === 'run.ended')).toHaveLength(1);
    // Shown text stays, marked, and a begun answer is paid for.
    const said = (await eventsOf(user, conversationId, 'agent.message')).map(({ text, truncated }) => [
      text,
      truncated,
    ]);
    const shown = spokenIn(script).join('');
    if (what === 'never ends' || what === 'answers far too much')
      expect(said).toMatchObject([[expect.any(String), true]]);
    else expect(said).toEqual(shown.trim() === '' ? [] : [[shown, true]]);
    if (said.length > 0) expect(run).toMatchObject({ usage: { estimated: true } });
  });

  it('that cuts its answer: completed, and marked', async () => {
    stage.models.says([{ text: ['Once upon '], ending: 'length' }]);
    const conversationId = await conversationOf(user);
    const response = { text: 'Once upon ', truncated: true };
    expect(await say(user, conversationId, 'a tale')).toMatchObject({ status: 'completed', response });
    expect(await eventsOf(user, conversationId, 'agent.message')).toMatchObject([response]);
  });

  it('that cuts JSON: output_invalid, even where it reads like a value, and it is not asked again', async () => {
    stage.models.says([{ text: ['12'], ending: 'length' }]);
    const conversationId = await conversationOf(user);
    const profile = { outputSchema: { type: 'integer' } };
    const run = await say(user, conversationId, 'how many', { profile });
    expect(run).toMatchObject({ status: 'failed', output: null, failure: { reason: 'output_invalid' } });
    expect(stage.models.requests.length).toBe(1);
  });

  it('that cuts a call: it is not run, the run has failed, and is paid for', async () => {
    stage.models.says([{ calls: [{ tool: 'current_time', raw: '{' }], ending: 'length' }]);
    const conversationId = await conversationOf(user);
    expect(await say(user, conversationId, 'what time is it')).toMatchObject({
      status: 'failed',
      failure: { reason: 'provider_error', text: expect.stringContaining('output limit') as string },
      usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, costCents: 1, estimated: false },
    });
    expect(await eventsOf(user, conversationId, 'tool.called')).toEqual([]);
  });

  it('that has room after a while: completed, and nothing told of it', async () => {
    stage.models.says([refusal(429), refusal(503), { text: ['It is noon.'] }]);
    expect(await say(user, await conversationOf(user), 'what time is it')).toMatchObject({
      status: 'completed',
      response: { text: 'It is noon.' },
      failure: null,
    });
    expect(stage.models.requests.length).toBe(3);
  });

  it('that calls a tool with what is no JSON: the tool says so, and the run goes on', async () => {
    stage.models.says([{ calls: [{ tool: 'current_time', raw: '{"timezone": ' }] }, { text: ['I cannot tell.'] }]);
    const conversationId = await conversationOf(user);
    expect(await say(user, conversationId, 'what time is it')).toMatchObject({
      status: 'completed',
      response: { text: 'I cannot tell.' },
    });
    const returned = (await journal(user, conversationId)).map(({ payload }) => payload);
    expect(returned.find(({ type }) => type === 'tool.returned')).toMatchObject({ outcome: 'error' });
  });

  it('that calls a tool with a number that would change: the tool does not run, and the model reads why', async () => {
    const raw = '{"timezone":"UTC","id":9007199254740993}';
    stage.models.says([{ calls: [{ tool: 'current_time', raw }] }, { text: ['I cannot tell.'] }]);
    const conversationId = await conversationOf(user);
    expect(await say(user, conversationId, 'what time is it')).toMatchObject({ status: 'completed' });
    const returned = (await journal(user, conversationId)).map(({ payload }) => payload);
    expect(returned.find(({ type }) => type === 'tool.returned')).toMatchObject({ outcome: 'error' });
    expect(JSON.stringify(stage.models.requests.at(-1))).toContain('send it as text');
  });

  it('after every failure answers the next run of the same conversation', async () => {
    const conversationId = await conversationOf(user);
    stage.models.says([{ text: ['It is '], ending: 'reset' }]);
    expect(await say(user, conversationId, 'first')).toMatchObject({ status: 'failed' });
    stage.models.says([{ text: ['Fine.'] }]);
    expect(await say(user, conversationId, 'second')).toMatchObject({ status: 'completed' });
  });

  async function messagesOf(conversationId: string): Promise<unknown> {
    return (await user.get(`/conversations/${conversationId}/messages`)).body;
  }
});
