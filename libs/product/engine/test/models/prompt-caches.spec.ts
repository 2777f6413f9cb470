import { LoopbackModels, type Provider } from '@app/testing/models';
import { modelRequest } from '@app/testing/runs';
import type { LanguageModel, ModelReply, StepRequest, ToolExchange, TurnStep } from '../../src/models/model';
import { modelsWith } from './provider-models';

const step = (at: number): TurnStep => {
  const exchange: ToolExchange = {
    toolCallId: `run/${at}/0`,
    tool: 'clock',
    input: { at },
    outcome: 'ok',
    result: `${at}: ${'noon '.repeat(200)}`,
  };
  return { text: `I look, ${at}.`, exchanges: [exchange] };
};
const asking: StepRequest = {
  ...modelRequest('What time is it?', [], ['clock', 'alarm', 'zebra']),
  instructions: 'Be exact about time. '.repeat(250),
};
/** Six calls, then the text; and the turn that follows in the conversation. */
const steps = Array.from({ length: 6 }, (_none, at) => step(at));
const answered = { input: asking.turn.input, steps: [...steps, { text: 'Noon.', exchanges: [] }] };

/** Micro-cents a token, at the prices of the loopback's environment: input, from the cache, into the cache; and 10 tokens of output. */
const [plain, read, written, output] = [300n, 30n, 375n, 10n * 1500n];

describe.each<Provider>(['openai-compatible', 'anthropic'])('the cache of prompts of a provider %s', (provider) => {
  let loopback: LoopbackModels;
  let model: LanguageModel;
  beforeAll(async () => {
    loopback = await LoopbackModels.start(provider);
    model = modelsWith(loopback.environment()).find('scripted-1');
  });
  beforeEach(() => {
    loopback.forgets();
    loopback.says([{ text: ['Fine.'], usage: 'counted' }]);
  });
  afterAll(async () => loopback.close());

  const ask = async (request: StepRequest): Promise<ModelReply> =>
    model.step(request, () => undefined, new AbortController().signal);
  const askInTurn = async (requests: readonly StepRequest[]): Promise<readonly ModelReply[]> => {
    const replies: ModelReply[] = [];
    for (const request of requests) replies.push(await ask(request));
    return replies;
  };
  const ofSteps = (count: number): StepRequest => ({
    ...asking,
    turn: { ...asking.turn, steps: steps.slice(0, count) },
  });
  /** The exact cost in micro-cents of a step whose prompt is cached up to the end of the step before. */
  const cheapest = (tokens: number, before: number): number => {
    const found = provider === 'anthropic' ? before : before - (before % 128);
    const rest = provider === 'anthropic' ? written : plain;
    return Number(BigInt(found) * read + BigInt(tokens - found) * rest + output);
  };

  it('has every step but what is new in it', async () => {
    const replies = await askInTurn([0, 1, 2, 3, 4, 5, 6].map(ofSteps));
    const [first, ...later] = replies;
    const all = provider === 'anthropic' ? written : plain;
    expect(first?.costMicroCents).toBe(Number(BigInt(first?.inputTokens ?? 0) * all + output));
    later.forEach(({ inputTokens, costMicroCents }, at) => {
      const before = replies[at]?.inputTokens ?? 0;
      // The double counts whole tokens of the whole prompt, and a message need not end at one.
      expect(Math.abs(costMicroCents - cheapest(inputTokens, before))).toBeLessThanOrEqual(128 * 300);
    });
  });

  it('has the whole conversation at its next run', async () => {
    const [, last] = await askInTurn([ofSteps(0), ofSteps(6)]);
    const next: StepRequest = { ...asking, history: [answered], turn: { input: 'And now?', steps: [] } };
    const reply = await ask(next);
    expect(reply.costMicroCents).toBeLessThanOrEqual(cheapest(reply.inputTokens, last?.inputTokens ?? 0) + 128 * 300);
  });

  it('has what stands when a file has come, and whatever the order of the tools', async () => {
    const artifacts = [{ artifactId: 'a1', name: 'clock.csv', mediaType: 'text/csv', bytes: 9 }];
    await ask(asking);
    const reply = await ask({ ...asking, tools: asking.tools.toReversed(), artifacts });
    // Only the file's line and the question are new, of some 1,450 tokens.
    expect(reply.costMicroCents).toBeLessThan(reply.inputTokens * 60 + 10 * 1500 + 128 * 300);
  });

  it('costs what its provider counted: what was put there a quarter more than any input, by default', async () => {
    if (provider === 'openai-compatible') return;
    const usage = { inputTokens: 1_000_000, outputTokens: 1, cachedInputTokens: 300_001, cacheWriteTokens: 400_000 };
    loopback.says([{ text: ['Fine.'], usage }]);
    const reply = await ask(asking);
    // 299,999 at 3, 300,001 at 0.3, 400,000 at 3.75 and one at 15 USD a million.
    expect(reply.costMicroCents).toBe(299_999 * 300 + 300_001 * 30 + 400_000 * 375 + 1500);
    expect(reply.inputTokens).toBe(1_000_000);
  });

  it('is asked with one beginning, byte for byte, by every step', async () => {
    await askInTurn([0, 1, 2].map(ofSteps));
    const prompts = loopback.requests.map(({ asked: { body } }) =>
      withoutMarks([body['system'], body['tools'], body['messages']]),
    );
    const [first = '', second = '', third = ''] = prompts.map((prompt) => prompt.replace(/\]\]$/, ''));
    expect([second.startsWith(first), third.startsWith(second)]).toEqual([true, true]);
  });
});

it('is marked at most four times, at the ends of what stands', async () => {
  const loopback = await LoopbackModels.start('anthropic');
  try {
    loopback.says([{ text: ['Fine.'] }]);
    const model = modelsWith(loopback.environment()).find('scripted-1');
    const request = { ...asking, turn: { ...asking.turn, steps } };
    await model.step(request, () => undefined, new AbortController().signal);
    // Reason for the assertion: as the SDK sends it; a wrong shape fails the test.
    const { tools, system, messages } = (await loopback.asked(1)).asked.body as unknown as Record<string, Marked[]>;
    const marked = (blocks: Marked[] | undefined) =>
      blocks?.map((block) => JSON.stringify(block).includes('"ephemeral"'));
    expect(marked(tools)).toEqual([false, false, true]);
    expect(marked(system)).toEqual([true]);
    expect(marked(messages)?.slice(-4)).toEqual([false, true, false, true]);
    expect(marked(messages)?.slice(0, -4)).not.toContain(true);
  } finally {
    await loopback.close();
  }
});

interface Marked {
  readonly cache_control?: unknown;
}

function withoutMarks(parts: readonly unknown[]): string {
  return JSON.stringify(parts, (name, value: unknown) => (name === 'cache_control' ? undefined : value));
}
