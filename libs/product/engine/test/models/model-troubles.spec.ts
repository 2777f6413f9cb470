import { Logger } from '@nestjs/common';
import { LoopbackModels, type Provider, type Scripted, type ScriptedReply } from '@app/testing/models';
import { modelRequest } from '@app/testing/runs';
import { ModelFailed } from '../../src/models/model';
import type { ModelTrouble } from '../../src/models/model-troubles';
import { modelsWith, ProviderModels } from './provider-models';

const asking = modelRequest('How are you?', [], ['current_time']);
const fine: Scripted = { text: ['Fine.'] };
const fast = { MODEL_RETRIES: '0' };

describe.each<Provider>(['openai-compatible', 'anthropic'])('trouble with the provider %s', (provider) => {
  let models: ProviderModels;
  let log: jest.SpyInstance;
  beforeAll(async () => {
    models = await ProviderModels.start(provider);
    log = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => log.mockClear());
  afterAll(async () => {
    log.mockRestore();
    await models.loopback.close();
  });

  /** The estimated tokens of the first request: one for three bytes. */
  const sentTokens = async () =>
    Math.ceil(Buffer.byteLength(JSON.stringify((await models.loopback.asked(1)).asked.body)) / 3);

  it.each([429, 500, 503, 529])('is waited out when it begins with status %d', async (status) => {
    const { reply } = await models.step([{ status, headers: { 'retry-after': '0' } }, fine], asking);
    expect([reply.text, models.loopback.requests.length]).toEqual(['Fine.', 2]);
    expect(log.mock.calls).toEqual([[expect.stringContaining(`attempt 1: status ${status}: `)]]);
  });

  it('is waited out as long as the provider says', async () => {
    for (const [asked, waitedMs] of [
      ['1', 990],
      ['1.5', 1_490],
    ] as const) {
      await models.step([{ status: 429, headers: { 'retry-after': asked } }, fine], asking);
      const [first, second] = models.loopback.requests;
      expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(waitedMs);
    }
  });

  it('is not waited out for longer than the step may take', async () => {
    const { error } = await models.failure([{ status: 429, headers: { 'retry-after': '3600' } }], asking);
    expect([error, models.loopback.requests.length]).toEqual([expect.any(ModelFailed), 1]);
  });

  it('is waited out so many times and not once more', async () => {
    const { error } = await models.failure([{ status: 503, headers: { 'retry-after': '0' } }], asking);
    expect([error, models.loopback.requests.length]).toEqual([expect.any(ModelFailed), 3]);
  });

  it.each([400, 401, 403, 404])('with status %d ends the step at once', async (status) => {
    const { error } = await models.failure([{ status }], asking);
    expect([error, models.loopback.requests.length]).toEqual([expect.any(ModelFailed), 1]);
  });

  it('is told in the words of the provider, without the key that they repeat', async () => {
    const { error } = await models.failure([{ status: 401, message: 'no key-for-the-loopback-models!' }], asking);
    expect(String(error)).toContain('no [key]!');
    expect(JSON.stringify([error, (error as Error).stack, log.mock.calls])).not.toContain('loopback-models!');
  });

  it('before the first word is no more than a repetition', async () => {
    const { reply, pieces } = await models.step([{ ending: 'reset' }, { ending: 'trouble' }, fine], asking);
    expect([reply.text, pieces, models.loopback.requests.length]).toEqual(['Fine.', ['Fine.'], 3]);
  });

  it.each(['reset', 'trouble', 'cut'] as const)('after the first word (%s) ends the step', async (ending) => {
    const { error, pieces } = await models.failure([{ text: ['I am '], ending }], asking);
    expect([error, pieces, models.loopback.requests.length]).toEqual([expect.any(ModelFailed), ['I am '], 1]);
  });

  it.each([
    ['before', []],
    ['after', ['I am ']],
  ])('that is silence %s the first word ends the step, and the connection', async (_when, text) => {
    const model = models.model({ ...fast, MODEL_IDLE_TIMEOUT_MS: '500' });
    const { error, pieces } = await models.failure([{ text, ending: 'silent' }], asking, model);
    expect([String(error), pieces]).toEqual([expect.stringContaining('nothing came for 500 ms'), text]);
    expect((await (await models.loopback.asked(1)).over).how).toBe('closed');
  });

  it('that is no end ends with the time that a step may take, and the connection with it', async () => {
    const model = models.model({ MODEL_TIMEOUT_MS: '1000' });
    const { error, pieces, ms } = await models.failure([{ ending: 'endless' }], asking, model);
    expect(String(error)).toContain('no whole answer within 1000 ms');
    expect(pieces.length).toBeGreaterThan(1);
    expect(ms).toBeGreaterThan(990);
    expect((await (await models.loopback.asked(1)).over).how).toBe('closed');
  });

  it('that is too long an answer ends at the bound', async () => {
    const { error } = await models.failure([{ text: ['x'.repeat(200_000), 'y'.repeat(70_000), 'z'] }], asking);
    expect(String(error)).toContain('more than 262144 bytes');
  });

  it('that is too many calls ends at the bound', async () => {
    const calls = Array.from({ length: 65 }, () => ({ tool: 'current_time', input: {} }));
    expect(String((await models.failure([{ calls }], asking)).error)).toContain('more than 64 calls');
  });

  it.each<[string, Scripted]>([
    ['while it is queued', { ...fine, queuedMs: 60_000 }],
    ['while it is waited out', { status: 429, headers: { 'retry-after': '60' } }],
  ])('does not outlast an abort %s, and nothing is paid', async (_when, scripted) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('a reason that nobody asked for')), 500);
    const { error, reply } = await models.failure([scripted], asking, models.model(), stop.signal);
    expect([(error as Error).name, error instanceof ModelFailed, reply]).toEqual(['AbortError', false, null]);
    const over = await (await models.loopback.asked(1)).over;
    expect(over.how).toBe('status' in scripted ? 'finished' : 'closed');
  });

  it.each(['accepted', 'silent'] as const)(
    'does not outlast an abort before a word of it (%s): what it was sent is paid for, and the connection is closed',
    async (ending) => {
      models.loopback.says([{ ending }]);
      const stop = new AbortController();
      const step = models.model().step(asking, () => undefined, stop.signal);
      const request = await models.loopback.asked(1);
      setTimeout(() => stop.abort(), 500);
      const inputTokens = await sentTokens();
      expect(await step).toEqual({
        model: 'scripted-1',
        servedModel: null,
        text: null,
        reasoning: null,
        calls: [],
        inputTokens,
        cachedInputTokens: 0,
        outputTokens: 0,
        estimated: true,
        ending: 'stopped',
        costMicroCents: inputTokens * 300,
      });
      expect((await request.over).how).toBe('closed');
    },
  );

  it.each<[string, NonNullable<ScriptedReply['ending']>, Record<string, string>]>([
    ['late', 'silent', { MODEL_IDLE_TIMEOUT_MS: '300' }],
    ['queued', 'accepted', { MODEL_FIRST_BYTE_TIMEOUT_MS: '300' }],
  ])('that was waited for too long (%s) is paid for what it was sent', async (trouble, ending, settings) => {
    const model = models.model({ ...fast, ...settings });
    const { error, reply } = await models.failure([{ ending }], asking, model);
    expect([error, reply]).toMatchObject([{ trouble }, { text: null, outputTokens: 0, estimated: true }]);
    expect(reply?.costMicroCents).toBeGreaterThan(0);
  });

  const silentOnce = { MODEL_RETRIES: '1', MODEL_IDLE_TIMEOUT_MS: '300' };

  it('that fell silent and did not answer when it was asked again is paid for what it was sent first', async () => {
    const model = models.model(silentOnce);
    const { reply } = await models.failure([{ ending: 'silent' }, { status: 500 }], asking, model);
    expect(models.loopback.requests).toHaveLength(2);
    expect(reply).toMatchObject({ text: null, inputTokens: await sentTokens(), estimated: true });
  });

  it('that fell silent and was asked again is paid for both', async () => {
    const { reply: plain } = await models.step([fine], asking);
    models.loopback.says([{ ending: 'silent' }, fine]);
    const reply = await models.model(silentOnce).step(asking, () => undefined, new AbortController().signal);
    expect(reply).toMatchObject({ text: 'Fine.', estimated: true });
    expect(reply.inputTokens).toBe(plain.inputTokens + (await sentTokens()));
    expect(reply.costMicroCents).toBeGreaterThan(plain.costMicroCents);
  });

  it.each<Scripted>([{ status: 500 }, { status: 200 }, { ending: 'reset' }, { ending: 'trouble' }, { ending: 'cut' }])(
    'by which the provider gave up before a word (%j) is not paid for',
    async (scripted) => {
      expect((await models.failure([scripted], asking, models.model(fast))).reply).toBeNull();
    },
  );

  it('does not outlast an abort while it speaks: what was said stays and is paid for, and the connection is closed', async () => {
    models.loopback.says([{ reasoning: ['Hm, hm.'], text: ['I am ', 'fi'], ending: 'silent' }]);
    const stop = new AbortController();
    const onText = (text: string) => (text === 'fi' ? stop.abort() : undefined);
    const reply = await models.model().step(asking, onText, stop.signal);
    const request = await models.loopback.asked(1);
    const inputTokens = await sentTokens();
    // 14 bytes arrived, the unseen ones included.
    expect(reply).toEqual({
      model: 'scripted-1',
      servedModel: null,
      text: 'I am fi',
      reasoning: null,
      calls: [],
      inputTokens,
      cachedInputTokens: 0,
      outputTokens: 5,
      estimated: true,
      ending: 'stopped',
      costMicroCents: inputTokens * 300 + 5 * 1500,
    });
    expect((await request.over).how).toBe('closed');
  });

  it('after the first word leaves what was said, and is paid for', async () => {
    const { error, reply } = await models.failure([{ text: ['I am '], ending: 'reset' }], asking);
    expect(reply).toMatchObject({ text: 'I am ', calls: [], outputTokens: 2, estimated: true, ending: error });
    expect(reply?.costMicroCents).toBeGreaterThan(2 * 1500);
  });

  it('is not begun after an abort', async () => {
    const { error } = await models.failure([fine], asking, models.model(), AbortSignal.abort());
    expect([(error as Error).name, models.loopback.requests.length]).toEqual(['AbortError', 0]);
  });

  it.each<[ModelTrouble, Scripted]>([
    ['refused_credentials', { status: 401 }],
    ['refused_credentials', { status: 403 }],
    ['refused_rate', { status: 429 }],
    ['refused_request', { status: 400 }],
    ['late', { status: 504 }],
    ['late', { ending: 'silent' }],
    ['own_error', { status: 500 }],
    ['own_error', { status: 529 }],
    ['own_error', { ending: 'trouble' }],
    // An error counts as one with any status.
    ['own_error', { status: 200 }],
    ['broken_off', { text: ['I am '], ending: 'reset' }],
    ['broken_off', { text: ['I am '], ending: 'cut' }],
    ['broken_off', { text: ['I am '], ending: 'trouble' }],
    ['broken_off', { text: ['I am '], ending: 'silent' }],
    ['empty', {}],
    ['empty', { text: [' \n'] }],
    ['empty', { ending: 'cut' }],
    ['too_long', { text: Array<string>(40).fill('x'.repeat(10_000)) }],
  ])('is told apart: %s of %j', async (trouble, scripted) => {
    const model = models.model({ ...fast, MODEL_IDLE_TIMEOUT_MS: '500' });
    const { error } = await models.failure([scripted], asking, model);
    expect([error, (error as ModelFailed).trouble]).toEqual([expect.any(ModelFailed), trouble]);
  });

  it('does not send the key to another host', async () => {
    const other = await LoopbackModels.start(provider);
    const headers = { location: other.baseUrl };
    const { error } = await models.failure([{ status: 307, headers }], asking, models.model(fast));
    expect([error, other.requests]).toEqual([expect.any(ModelFailed), []]);
    await other.close();
  });
});

it('is told of a provider that is not there', async () => {
  const loopback = await LoopbackModels.start('anthropic');
  const environment = loopback.environment();
  await loopback.close();
  const model = modelsWith({ ...environment, ...fast }).find('scripted-1');
  await expect(model.step(asking, () => undefined, new AbortController().signal)).rejects.toThrow(
    /(not reached|broke off): .*ECONNREFUSED/,
  );
});
