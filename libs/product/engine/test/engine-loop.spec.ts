/** Issue 4, item 2: steps, tools, structured output, cost and history of a run on a provider's model. */
import { randomUUID } from 'node:crypto';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent } from '@app/event-store';
import type { AskedMessage, Scripted } from '@app/testing/models';
import type { TestClient } from '@app/testing/client';
import {
  conversationOf,
  eventsOf,
  journalTypes,
  quiet,
  recorded,
  resultsIn,
  say,
  type Stage,
  startStage,
} from '@app/testing/journeys';

const DAY_CENTS = 50;
const HISTORY_TOKENS = 600;
const BYTES_PER_TOKEN = 3;
/** At the prices of the loopback models (3 and 15 dollars a million), 30 cents. */
const dear = { inputTokens: 100_000, outputTokens: 0 };
const looks = [
  { tool: 'current_time', input: {} },
  { tool: 'current_time', input: { timezone: 'Asia/Tokyo' } },
];
const clock: Scripted = { calls: looks.slice(0, 1) };
const answering = (text: string): Scripted => ({ text: [text] });
const schema = { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] };

let stage: Stage;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  stage = await startStage('openai-compatible', {
    BUDGET_DAY_CENTS: String(DAY_CENTS),
    MODEL_HISTORY_TOKENS: String(HISTORY_TOKENS),
  });
});
beforeEach(async () => {
  user = await stage.deployment.newUser();
  conversationId = await conversationOf(user);
});
afterAll(() => stage.stop());

/** Waits until the run's cost is booked, right after its end. */
async function spentToday() {
  await quiet(stage.deployment);
  const { body } = await user.get<{ snapshots: Record<string, unknown>[] }>('/budget');
  const day = body.snapshots.find(({ periodKind }) => periodKind === 'day');
  return { spentCents: day?.['spentCents'], reservedCents: day?.['reservedCents'] };
}

describe('steps', () => {
  it('make the calls of a step side by side, and show the model each result', async () => {
    const both = [
      { tool: 'current_time', input: { timezone: 'Asia/Tokyo' } },
      { tool: 'token_price', input: { symbol: 'NEAR' } },
      { tool: 'current_time', input: { timezone: 'Nowhere/Never' } },
    ];
    stage.models.says([{ text: ['I look.'], calls: both }, answering('Done.')]);
    const run = await say(user, conversationId, 'time and price, please');
    expect(run).toMatchObject({ status: 'completed', response: { text: 'Done.' } });
    const called = await eventsOf(user, conversationId, 'tool.called');
    expect(called.map(({ toolCallId }) => toolCallId)).toEqual(
      [0, 1, 2].map((index) => `${String(run['id'])}/1/${index}`),
    );
    const returned = await eventsOf(user, conversationId, 'tool.returned');
    expect(returned.map(({ outcome }) => outcome).sort()).toEqual(['error', 'ok', 'ok']);
    const results = resultsIn(await stage.models.asked(2));
    expect([results.length, results[0], results[1]]).toEqual([
      3,
      expect.stringContaining('Asia/Tokyo'),
      expect.stringContaining('NEAR'),
    ]);
    expect(results[2]).toContain('the time zone is not known');
  });

  it('add up: usage and cost of the run are those of its steps, to the micro-cent', async () => {
    const usage = { inputTokens: 333, outputTokens: 77 };
    stage.models.says([
      { ...clock, usage },
      { ...clock, usage },
      { ...answering('Noon.'), usage },
    ]);
    const run = await say(user, conversationId, 'what time is it');
    // 333 × 300 + 77 × 1500 micro-cents, three times.
    const microCents = 3 * (333 * 300 + 77 * 1500);
    const costCents = Math.ceil(microCents / 1_000_000);
    const counted = { inputTokens: 999, cachedInputTokens: 0, outputTokens: 231 };
    expect(run['usage']).toEqual({ ...counted, costCents, estimated: false });
    const steps = (await recorded(stage.deployment, 'agent.step')).filter(
      ({ payload }) => payload['runId'] === run['id'],
    );
    const exact = steps.map((stored) => decodeEvent<ConversationEvent>(conversationKind, stored).event);
    const costs = exact.map((event) => ('costMicroCents' in event ? event.costMicroCents : 0));
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(microCents);
    const told = await eventsOf(user, conversationId, 'agent.step');
    const cents = told.map(({ usage: of }) => (of as { costCents: number }).costCents); // reason for the assertion: a usage
    expect(cents.reduce((sum, cost) => sum + cost, 0)).toBe((run['usage'] as { costCents: number }).costCents);
    expect(await spentToday()).toEqual({ spentCents: 1, reservedCents: 0 });
  });

  it('end at the bound of the profile: failed, step_limit, every call returned', async () => {
    stage.models.says([clock]);
    const run = await say(user, conversationId, 'what time is it', { profile: { maxSteps: 3 } });
    expect(run).toMatchObject({ status: 'failed', response: null, failure: { reason: 'step_limit' } });
    expect(stage.models.requests.length).toBe(3);
    expect(await eventsOf(user, conversationId, 'tool.returned')).toHaveLength(3);
  });

  it('end when the headroom is used up in mid-run: failed, budget_exhausted, what was used is booked', async () => {
    stage.models.says([{ ...clock, usage: dear }]);
    const run = await say(user, conversationId, 'what time is it');
    expect(run).toMatchObject({
      status: 'failed',
      response: null,
      // A count of 0 is not believed for a step with output: its call is estimated.
      usage: { inputTokens: 200_000, outputTokens: 2, costCents: 61 },
      failure: { reason: 'budget_exhausted', text: expect.any(String) as string },
    });
    // 25 cents were held, and 25 more after the first step; then the day's cap was reached.
    expect(stage.models.requests.length).toBe(2);
    const types = await journalTypes(user, conversationId);
    expect(types.slice(-2)).toEqual(['tool.returned', 'run.ended']);
    expect(await spentToday()).toEqual({ spentCents: 61, reservedCents: 0 });
  });

  it('cost an estimate where the provider tells no usage', async () => {
    stage.models.says([{ ...answering('Noon.'), usage: null }]);
    expect(await say(user, conversationId, 'what time is it')).toMatchObject({
      status: 'completed',
      usage: { outputTokens: 2, estimated: true },
    });
    const { asked } = await stage.models.asked(1);
    const inputTokens = Math.ceil(Buffer.byteLength(JSON.stringify(asked.body)) / BYTES_PER_TOKEN);
    const [step] = await eventsOf(user, conversationId, 'agent.step');
    expect(step).toMatchObject({ usage: { inputTokens, outputTokens: 2, estimated: true } });
  });
});

describe('the allow-list of the profile', () => {
  it('is all that the model is told of, and all that it can call', async () => {
    const calls = [
      { tool: 'wallet_balances', input: {} },
      { tool: 'intents_transfer', input: {} },
      { tool: 'no_such_tool', input: {} },
    ];
    stage.models.says([{ calls }, answering('I may not.')]);
    const run = await say(user, conversationId, 'what do I own', { profile: { tools: ['current_time'] } });
    expect(run).toMatchObject({ status: 'completed', pendingApprovalIds: [] });
    const { asked } = await stage.models.asked(1);
    expect(asked.tools.map(({ name }) => name)).toEqual(['current_time']);
    const returned = await eventsOf(user, conversationId, 'tool.returned');
    expect(returned.map(({ outcome, result }) => [outcome, result])).toEqual(
      calls.map(() => ['error', { error: 'this run has no such tool' }]),
    );
    expect((await user.get('/wallet')).body).not.toMatchObject({ status: 'active' });
  });

  it('may be empty', async () => {
    stage.models.says([answering('I have no tools.')]);
    expect(await say(user, conversationId, 'hello', { profile: { tools: [] } })).toMatchObject({ status: 'completed' });
    expect((await stage.models.asked(1)).asked.tools).toEqual([]);
  });
});

describe('structured output', () => {
  const profile = { outputSchema: schema };

  it('is the answer where it satisfies the schema', async () => {
    stage.models.says([clock, answering('{"hour": 12}')]);
    expect(await say(user, conversationId, 'which hour is it', { profile })).toMatchObject({
      status: 'completed',
      output: { hour: 12 },
      response: { text: '{"hour": 12}' },
    });
  });

  it.each(['about noon', '{"hour": "twelve"}'])('is mended once after %s', async (broken) => {
    stage.models.says([answering(broken), answering('{"hour": 12}')]);
    expect(await say(user, conversationId, 'which hour is it', { profile })).toMatchObject({
      status: 'completed',
      output: { hour: 12 },
      response: { text: '{"hour": 12}' },
    });
    const { asked } = await stage.models.asked(2);
    expect(asked.messages.slice(-2)).toMatchObject([{ role: 'assistant', text: broken }, { role: 'user' }]);
  });

  it('that is not mended at the first attempt: failed, output_invalid', async () => {
    stage.models.says([answering('about noon')]);
    expect(await say(user, conversationId, 'which hour is it', { profile })).toMatchObject({
      status: 'failed',
      output: null,
      response: null,
      failure: { reason: 'output_invalid' },
    });
    expect(stage.models.requests.length).toBe(2);
  });

  it('is not mended past the last step', async () => {
    stage.models.says([answering('about noon')]);
    const run = await say(user, conversationId, 'which hour is it', { profile: { ...profile, maxSteps: 1 } });
    expect(run).toMatchObject({ status: 'failed', failure: { reason: 'output_invalid' } });
    expect(stage.models.requests.length).toBe(1);
  });
});

describe('history', () => {
  const turns = 14;
  const sizeOf = (messages: readonly AskedMessage[]): number => Buffer.byteLength(JSON.stringify(messages));

  it('shows as many of the newest turns as fit, oldest first, each of them whole', async () => {
    stage.models.says(({ messages }) => {
      if (messages.at(-1)?.role !== 'user') return answering('That is the time.');
      return { text: ['I look. '], calls: looks };
    });
    const words = Array.from({ length: turns }, (_, index) => `turn ${index} ${randomUUID()}`);
    const left: number[] = [];
    for (const [index, text] of words.entries()) {
      stage.models.requests.length = 0;
      expect(await say(user, conversationId, text)).toMatchObject({ status: 'completed' });
      const { messages } = (await stage.models.asked(1)).asked;
      const said = messages.flatMap(({ role, text: of }) => (role === 'user' ? [of] : []));
      // The newest ones without a gap, and the present one last.
      expect(said).toEqual(words.slice(0, index + 1).slice(-said.length));
      expectWhole(messages);
      expect(sizeOf(messages.slice(0, -1))).toBeLessThan(2 * HISTORY_TOKENS * BYTES_PER_TOKEN);
      left.push(said.length - 1);
    }
    expect(left.slice(0, 3)).toEqual([0, 1, 2]);
    expect(left.at(-1)).toBeGreaterThanOrEqual(1);
    expect(left.at(-1)).toBeLessThan(turns / 2);
    process.stdout.write(`history of ${HISTORY_TOKENS} tokens: ${left.join(', ')} earlier turns\n`);
  });

  /** A user's message begins each turn, and every call is answered once, before any other message. */
  function expectWhole(messages: readonly AskedMessage[]): void {
    expect(messages[0]?.role).toBe('user');
    const open = new Set<string>();
    for (const { role, calls, results } of messages) {
      if (role !== 'tool') expect([...open]).toEqual([]);
      for (const { id } of calls) open.add(id);
      for (const { id } of results) expect(open.delete(id)).toBe(true);
    }
    expect([...open]).toEqual([]);
  }
});
