/** The output limit that is sent to providers (docs/decisions/runs.md, "Headroom"). */
import { Logger } from '@nestjs/common';
import { type Asked, type Provider, type Script } from '@app/testing/models';
import { modelRequest } from '@app/testing/runs';
import type { Allowance, StepRequest } from '../../src/models/model';
import { ProviderModels } from './provider-models';

const asking = modelRequest('How are you?', [], []);
const estimateOf = ({ body }: Asked) => Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 3);
const limitOf = ({ body }: Asked) => Number(body['max_tokens'] ?? body['max_completion_tokens'] ?? NaN);

/** An allowance of exactly this many micro-cents. */
function holding(microCents: number): Allowance & { readonly asked: { least: number; wanted: number }[] } {
  const asked: { least: number; wanted: number }[] = [];
  const cover: Allowance['cover'] = (needs) => {
    asked.push(needs);
    return Promise.resolve(needs.least > microCents ? null : microCents);
  };
  return { asked, cover };
}

describe.each<Provider>(['openai-compatible', 'anthropic'])('a provider %s', (provider) => {
  let models: ProviderModels;
  let log: jest.SpyInstance;
  beforeAll(async () => {
    models = await ProviderModels.start(provider);
    log = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterAll(async () => {
    log.mockRestore();
    await models.loopback.close();
  });

  const priced = (prices: object) => ({ MODEL_PRICES: JSON.stringify({ 'scripted-1': prices }) });
  const ask = async (
    script: Script,
    allowance: Allowance,
    settings: Record<string, string> = {},
    more: Partial<StepRequest> = {},
  ) => {
    models.loopback.says(script);
    const request = { ...asking, ...more, allowance };
    const reply = await models.model(settings).step(request, () => undefined, new AbortController().signal);
    return { reply, asked: models.loopback.requests.map((one) => one.asked) };
  };

  it('is sent a limit that the reservation pays for, with the prompt at its dearest', async () => {
    // At 3.75 (to be cached) and 600 USD per million: 375 and 60,000 micro-cents for a token.
    const prices = { inputUsdPerMillion: '3', cacheWriteUsdPerMillion: '3.75', outputUsdPerMillion: '600' };
    const { asked } = await ask([{ text: ['Fine.'] }], holding(25_000_000), priced(prices));
    const limit = limitOf(asked[0]!);
    const most = Math.floor((25_000_000 - estimateOf(asked[0]!) * 375) / 60_000);
    expect(limit).toBeLessThanOrEqual(most);
    expect(limit).toBeGreaterThanOrEqual(most - 1); // the member itself is in the estimate
  });

  it.each<[string, Record<string, string>, number]>([
    ['that is configured, where it is lower', { MODEL_OUTPUT_TOKENS: '300' }, 300],
    ['that is usual, where the reservation pays for more', {}, 32_768],
  ])('is sent the limit %s', async (_which, settings, expected) => {
    const own = provider === 'anthropic' && !('MODEL_OUTPUT_TOKENS' in settings) ? 4_096 : expected; // the SDK's limit for unknown models
    const { asked } = await ask([{ text: ['Fine.'] }], holding(9_000_000_000), settings);
    expect(limitOf(asked[0]!)).toBe(own);
  });

  it('that ends at that limit with a call has cut it, whatever it calls that end', async () => {
    const calls = [{ tool: 'clock', input: {} }];
    const ended = async (outputTokens: number) => {
      const script: Script = [{ text: ['One moment.'], calls, usage: { inputTokens: 100, outputTokens } }];
      const settings = { MODEL_OUTPUT_TOKENS: '300' };
      return (await ask(script, holding(9_000_000_000), settings, modelRequest('When?', [], ['clock']))).reply;
    };
    // Some servers count the token that ends an answer as well.
    for (const tokens of [300, 301])
      expect(await ended(tokens)).toMatchObject({ calls: [], ending: { trouble: 'cut_off' } });
    expect(await ended(299)).toMatchObject({ calls, ending: 'whole' });
  });

  it('is not asked where too little is left for any answer, which is no failure of its own', async () => {
    models.loopback.says([{ text: ['Fine.'] }]);
    const { error } = await models.failure([{ text: ['Fine.'] }], { ...asking, allowance: holding(100_000) });
    expect(error).toMatchObject({ trouble: 'out_of_budget' });
    expect(models.loopback.requests).toEqual([]);
  });

  it('is asked with no limit where its output is free, and with the configured one', async () => {
    const free = priced({ inputUsdPerMillion: '0', outputUsdPerMillion: '0' });
    const own = provider === 'anthropic' ? 4_096 : NaN;
    const none = await ask([{ text: ['Fine.'] }], holding(0), free);
    expect(limitOf(none.asked[0]!)).toBe(own);
    const some = await ask([{ text: ['Fine.'] }], holding(0), { ...free, MODEL_OUTPUT_TOKENS: '9' });
    expect(limitOf(some.asked[0]!)).toBe(9);
  });

  it('that takes less is asked with that, and so is every later step', async () => {
    const model = models.model({ MODEL_OUTPUT_TOKENS: '32000' });
    const words =
      'max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.';
    models.loopback.says((asked) => (limitOf(asked) > 16_384 ? { status: 400, message: words } : { text: ['Fine.'] }));
    const request = { ...asking, allowance: holding(9_000_000_000) };
    for (let count = 0; count < 2; count += 1)
      expect((await model.step(request, () => undefined, new AbortController().signal)).text).toBe('Fine.');
    expect(models.loopback.requests.map((one) => limitOf(one.asked))).toEqual([32_000, 16_384, 16_384]);
  });

  it('whose context holds prompt and answer together is asked with what the prompt leaves', async () => {
    const words = (limit: number) =>
      `This model's maximum context length is 6000 tokens. However, you requested ${900 + limit} tokens (900 in the messages, ${limit} in the completion). Please reduce the length of the messages or completion.`;
    const { asked, reply } = await ask(
      (one) => (limitOf(one) > 5_100 ? { status: 400, message: words(limitOf(one)) } : { text: ['Fine.'] }),
      holding(9_000_000_000),
      { MODEL_OUTPUT_TOKENS: '32000' },
      { history: [{ input: 'Before?', steps: [{ text: 'Yes.', exchanges: [] }] }] },
    );
    expect([reply.text, asked.map(limitOf)]).toEqual(['Fine.', [32_000, 5_100]]);
    expect(asked[1]!.messages).toHaveLength(3);
  });

  it('that goes on far beyond its limit is stopped', async () => {
    const { error, reply } = await models.failure([{ text: ['Yes.'], ending: 'endless' }], {
      ...asking,
      allowance: holding(600_000),
    });
    expect(error).toMatchObject({ trouble: 'out_of_budget' });
    expect(reply?.text).toMatch(/^Yes\.and so on/);
  });

  it('gets a limit of its own for each attempt: what an earlier one has cost is gone', async () => {
    const allowance = holding(25_000_000);
    const prices = { inputUsdPerMillion: '30', outputUsdPerMillion: '600' };
    const settings = { MODEL_FIRST_BYTE_TIMEOUT_MS: '300', MODEL_RETRIES: '1', ...priced(prices) };
    const { asked } = await ask(
      (_asked, count) => (count === 1 ? { status: 503, headers: { 'retry-after': '0' } } : { text: ['Fine.'] }),
      allowance,
      settings,
    );
    // A refusal costs nothing.
    expect(limitOf(asked[1]!)).toBe(limitOf(asked[0]!));
    expect(allowance.asked).toHaveLength(2);
  });
});
