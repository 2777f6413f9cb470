/** The fallbacks of a step while the provider of its model is away (docs/decisions/runs.md, "Models as they are"). */
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent } from '@app/event-store';
import { Budgets } from '@app/budget';
import { LoopbackModels, type Script, type Scripted } from '@app/testing/models';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  byOperator,
  conversationOf,
  eventsOf,
  partOf,
  recorded,
  say,
  type Stage,
  startStage,
} from '@app/testing/journeys';
import { booksOf, untilBooked } from '@app/testing/journeys';

const price = (input: string, output: string) => ({ inputUsdPerMillion: input, outputUsdPerMillion: output });
const prices = { 'scripted-1': price('3', '15'), small: price('1', '1'), backup: price('6', '30') };
const away: Scripted = { status: 503, headers: { 'retry-after': '0' } };
const fine: Scripted = { text: ['Fine.'] };
const backupKey = 'key-of-the-other-provider';

let stage: Stage;
let other: LoopbackModels;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  other = await LoopbackModels.start('anthropic');
  const connection = { provider: 'anthropic', baseUrl: other.baseUrl, apiKey: backupKey };
  stage = await startStage('openai-compatible', {
    MODEL_ALLOWED: 'small',
    MODEL_PRICES: JSON.stringify(prices),
    MODEL_FALLBACKS: JSON.stringify([{ model: 'claude', as: 'backup', ...connection }]),
    LOG_LEVEL: 'silent',
    MODEL_RETRIES: '0',
    MODEL_FIRST_BYTE_TIMEOUT_MS: '500',
    MODEL_BREAKER_FAILURES: '3',
    MODEL_BREAKER_OPEN_MS: '3000',
    BUDGET_DAY_CENTS: '100000',
  });
  user = await stage.deployment.newUser();
});
beforeEach(async () => {
  conversationId = await conversationOf(user);
  other.says([{ text: ['Here instead.'] }]);
  stage.models.says([fine]);
  await closed();
});
afterAll(async () => {
  await stage.stop();
  await other.close();
});

interface Readiness {
  readonly checks: Readonly<Record<string, string>>;
}

async function checks(): Promise<Readiness['checks']> {
  const response = await fetch(`${user.baseUrl}/readyz`);
  return ((await response.json()) as Readiness).checks; // reason for the assertion: its published shape
}

/** Asks until the breaker of the first provider is closed again. */
async function closed(): Promise<void> {
  await until('the provider is asked again', async () => {
    const id = await conversationOf(user);
    const run = await say(user, id, 'hello');
    const [step] = await eventsOf(user, id, 'agent.step');
    return run['status'] === 'completed' && step?.['model'] === 'scripted-1' ? true : null;
  });
  stage.models.says([fine]);
  other.says([{ text: ['Here instead.'] }]);
}

async function stepsOf(runId: unknown) {
  const steps = (await recorded(stage.deployment, 'agent.step')).filter(({ payload }) => payload['runId'] === runId);
  return steps.map((stored) => decodeEvent<ConversationEvent>(conversationKind, stored).event);
}

describe('a step whose provider is away', () => {
  it.each<[string, Scripted]>([
    ['has an error of its own', away],
    ['refuses for its rate', { status: 429, headers: { 'retry-after': '0' } }],
    ['refuses our credentials', { status: 401 }],
    ['cannot be reached', { ending: 'reset' }],
    ['answers with what is no stream', { status: 200, body: { no: 'stream' } }],
  ])('turns to the next, which counts as one step and costs its own price: it %s', async (_what, script) => {
    stage.models.says([script]);
    const run = await say(user, conversationId, 'how are you?', { profile: { maxSteps: 1 } });
    expect(run).toMatchObject({
      status: 'completed',
      response: { text: 'Here instead.' },
      resolved: { model: 'scripted-1' },
      usage: { inputTokens: 100, outputTokens: 10, estimated: false },
    });
    // 100 tokens at 6 and 10 at 30 dollars a million.
    expect(await stepsOf(run['id'])).toMatchObject([{ step: 1, model: 'backup', costMicroCents: 90_000 }]);
    const { asked, headers } = await other.asked(1);
    expect([asked.model, headers['x-api-key'], headers.authorization]).toEqual(['claude', backupKey, undefined]);
    const [first] = stage.models.requests;
    expect(JSON.stringify(first?.headers)).not.toContain(backupKey);
  });

  it('pays for what the first had begun, each at its own price', async () => {
    stage.models.says([{ ending: 'accepted' }]);
    const run = await say(user, conversationId, 'how are you?');
    const [step] = await stepsOf(run['id']);
    const { body } = (await stage.models.asked(1)).asked;
    const begun = Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 3);
    expect(step).toMatchObject({
      model: 'backup',
      usage: { inputTokens: 100 + begun, outputTokens: 10, estimated: true },
      costMicroCents: 90_000 + begun * 300,
    });
  });

  it('turns at once while the breaker is open, and back when it is closed', async () => {
    stage.models.says([away]);
    for (let count = 0; count < 3; count += 1) await say(user, await conversationOf(user), 'hello');
    await until('told', async () => ((await checks())['model scripted-1'] === 'degraded' ? true : null));
    expect(await checks()).toMatchObject({ models: 'degraded', 'model backup': 'ok' });
    stage.models.says([fine]);
    const begunMs = performance.now();
    expect(await say(user, conversationId, 'hello')).toMatchObject({ response: { text: 'Here instead.' } });
    expect(performance.now() - begunMs).toBeLessThan(2_500);
    expect(stage.models.requests).toEqual([]);
    await closed();
  });

  it('fails as the chosen model did where nobody answers', async () => {
    stage.models.says([away]);
    other.says([{ status: 401 }]);
    expect(await say(user, conversationId, 'hello')).toMatchObject({
      status: 'failed',
      failure: { reason: 'provider_error', text: "The model's provider had an error of its own." },
    });
  });
});

describe('no other model is asked', () => {
  it.each<[string, Scripted]>([
    ['the request is at fault', { status: 400, message: 'no such thing' }],
    ['words were shown', { text: ['I am '], ending: 'cut' }],
    ['reasoning was shown', { reasoning: ['Hm.'], ending: 'reset' }],
    ['the model answers nothing', { text: [] }],
  ])('where %s', async (_what, script) => {
    stage.models.says([script]);
    expect(await say(user, conversationId, 'hello')).toMatchObject({ failure: { reason: 'provider_error' } });
    expect(other.requests).toEqual([]);
  });

  it('in place of a model that the list does not name', async () => {
    stage.models.says([away]);
    const run = await say(user, conversationId, 'hello', { profile: { model: 'small' } });
    expect(run).toMatchObject({ status: 'failed', failure: { reason: 'provider_error' } });
    expect(other.requests).toEqual([]);
  });
});

describe('a user with room for two reservations', () => {
  /** Answers with all but one of the allowed tokens, because with all of them its call would be cut, and asks to continue. */
  const dearest: Script = ({ body }) => ({
    calls: [{ tool: 'current_time', input: {} }],
    usage: { inputTokens: 100, outputTokens: Number(body['max_tokens'] ?? 1_000_000) - 1 },
  });
  const caps = { dayCents: 50, monthCents: 1_000 };
  const spentToday = async (of: TestClient) => {
    await untilBooked(of);
    return (await booksOf(of)).day[1];
  };

  it.each([
    ['the model', dearest],
    ['another in its place, which costs twice as much,', [away]],
  ])('spends no more than that, however much %s answers', async (_which, script) => {
    const poor = await stage.deployment.newUser();
    await partOf(stage.deployment, Budgets).setCaps(byOperator(poor), caps);
    stage.models.says(script);
    other.says(dearest);
    const run = await say(poor, await conversationOf(poor), 'go on and on');
    expect(run).toMatchObject({
      status: 'failed',
      failure: { reason: 'budget_exhausted', text: 'The spend headroom ran out.' },
    });
    const spent = await spentToday(poor);
    expect(spent).toBeGreaterThan(25);
    expect(spent).toBeLessThanOrEqual(50);
  });
});
