import { Logger } from '@nestjs/common';
import { type Provider, type ScriptedReply } from '@app/testing/models';
import { modelRequest } from '@app/testing/runs';
import { ProviderModels, said } from './provider-models';

const tools = ['current_time', 'files.read all'];
const asking = modelRequest('How are you?', [], tools);

describe.each<Provider>(['openai-compatible', 'anthropic'])('a model of the provider %s', (provider) => {
  let models: ProviderModels;
  beforeAll(async () => {
    models = await ProviderModels.start(provider);
  });
  afterAll(async () => models.loopback.close());

  it('says its text as it comes, and is counted and paid', async () => {
    const { reply, pieces, asked } = await models.step([{ text: ['I am ', 'fine, ', '🐦.'] }], asking);
    expect(pieces).toEqual(['I am ', 'fine, ', '🐦.']);
    // 100 tokens at 3 and 10 at 15 USD per million: 450 millionths of a dollar.
    expect(reply).toEqual({
      model: 'scripted-1',
      servedModel: 'scripted',
      reasoning: null,
      text: 'I am fine, 🐦.',
      calls: [],
      inputTokens: 100,
      cachedInputTokens: 0,
      outputTokens: 10,
      costMicroCents: 45_000,
      estimated: false,
      ending: 'whole',
    });
    expect([asked.model, said(asked.messages)]).toEqual(['scripted-1', [['user', 'How are you?']]]);
  });

  it.each([
    [900_000, 30_000_000 + 27_000_000],
    // More cached than input tokens is no valid count, and lowers no price.
    [2_000_000, 300_000_000],
  ])('is paid less for what its provider had in its cache: %d of a million tokens', async (cached, microCents) => {
    const usage = { inputTokens: 1_000_000, outputTokens: 2, cachedInputTokens: cached };
    const { reply } = await models.step([{ text: ['Fine.'], usage }], asking);
    if (provider === 'anthropic' && cached > usage.inputTokens) return expect(reply.costMicroCents).toBeGreaterThan(0);
    const known = cached > usage.inputTokens ? 0 : cached;
    return expect([reply.inputTokens, reply.cachedInputTokens, reply.costMicroCents]).toEqual([
      1_000_000,
      known,
      microCents + 2 * 1_500,
    ]);
  });

  it('is paid for the larger sum where a gateway leaves out what was cached', async () => {
    if (provider === 'anthropic') return;
    const usage = { inputTokens: 5, outputTokens: 10, totalTokens: 1015 };
    const { reply } = await models.step([{ text: ['Fine.'], usage }], asking);
    expect(reply).toMatchObject({ inputTokens: 1005, outputTokens: 10, costMicroCents: 1005 * 300 + 10 * 1500 });
  });

  it('is told the tools by names that the provider takes, and calls several at once', async () => {
    const calls = [
      { tool: 'current_time', input: { timezone: 'Europe/Berlin' } },
      { tool: 'files_read_all', input: { pages: [1, 2, { from: 3 }] } },
      { tool: 'current_time', input: {} },
    ];
    const { reply, asked } = await models.step([{ text: ['Let me look.'], calls }], asking);
    expect(asked.tools).toEqual(
      ['current_time', 'files_read_all'].map((name, index) => ({
        name,
        description: tools[index],
        schema: { type: 'object' },
      })),
    );
    expect(reply.text).toBe('Let me look.');
    expect(reply.calls).toEqual([calls[0], { ...calls[1], tool: 'files.read all' }, calls[2]]);
  });

  it('may call without a word', async () => {
    const { reply } = await models.step([{ calls: [{ tool: 'current_time', input: {} }] }], asking);
    expect([reply.text, reply.calls]).toEqual([null, [{ tool: 'current_time', input: {} }]]);
  });

  it('may write what is no JSON, or call what it was not offered: the tools and the run judge that', async () => {
    const calls = [
      { tool: 'current_time', raw: '{"timezone": "Eur' },
      { tool: 'launch_rockets', input: { count: 3 } },
      { tool: 'current_time', raw: '' },
    ];
    const { reply } = await models.step([{ calls }], asking);
    expect(reply.calls).toEqual([
      { tool: 'current_time', input: '{"timezone": "Eur' },
      { tool: 'launch_rockets', input: { count: 3 } },
      { tool: 'current_time', input: {} },
    ]);
  });

  it('may call with an input deeper than JSON of ours is: it comes as a text', async () => {
    const deep = `{"a":${'['.repeat(400)}${']'.repeat(400)}}`;
    const { reply } = await models.step([{ calls: [{ tool: 'current_time', raw: deep }] }], asking);
    expect(reply.calls).toEqual([{ tool: 'current_time', input: deep }]);
  });

  it('says nothing that cannot be stored', async () => {
    const calls = [{ tool: 'current_time', input: { 'a\u0000': ['\u0000', '\ud800'] } }];
    const { reply, pieces } = await models.step([{ text: ['a\u0000b'], calls }], asking);
    expect([reply.text, pieces.join('')]).toEqual(['a\ufffdb', 'a\ufffdb']);
    expect(reply.calls).toEqual([{ tool: 'current_time', input: { 'a\ufffd': ['\ufffd', '\ufffd'] } }]);
  });

  it.each(
    [null, { inputTokens: -1, outputTokens: 5 }, { inputTokens: 0, outputTokens: 5 }].concat([
      { inputTokens: 5.5, outputTokens: 5 },
      { inputTokens: 5, outputTokens: 1e15 },
    ]),
  )('costs an estimate of what was sent and said, with a warning, where the usage is %j', async (usage) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const { reply, asked } = await models.step([{ text: ['Yes, ', 'twelve.'], usage }], asking);
    const inputTokens = Math.ceil(Buffer.byteLength(JSON.stringify(asked.body)) / 3);
    expect(reply).toEqual({
      model: 'scripted-1',
      servedModel: 'scripted',
      reasoning: null,
      text: 'Yes, twelve.',
      calls: [],
      inputTokens,
      cachedInputTokens: 0,
      outputTokens: 4,
      estimated: true,
      ending: 'whole',
      costMicroCents: inputTokens * 300 + 4 * 1500,
    });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('reported no usage')]]);
    warn.mockRestore();
  });

  it('that its output limit cut says so', async () => {
    const { reply } = await models.step([{ text: ['Once upon '], ending: 'length' }], asking);
    expect(reply).toMatchObject({ text: 'Once upon ', ending: 'cut', costMicroCents: 45_000, estimated: false });
  });

  it('makes no call that its output limit cut, and all before it', async () => {
    const calls = [
      { tool: 'current_time', input: {} },
      { tool: 'current_time', raw: '{' },
    ];
    const { reply } = await models.step([{ calls, ending: 'length' }], asking);
    expect([reply.calls, reply.ending]).toEqual([calls.slice(0, 1), 'cut']);
  });

  it.each<[string, ScriptedReply]>([
    ['cut_off', { text: ['I look.'], calls: [{ tool: 'current_time', raw: '{' }] }],
    // An empty input reads like an object.
    ['cut_off', { calls: [{ tool: 'current_time', raw: '' }] }],
    ['empty', {}],
    ['empty', { reasoning: ['Let me ', 'think.'] }],
  ])('that its output limit cut to nothing has failed and is paid: %s of %j', async (trouble, scripted) => {
    const { reply } = await models.step([{ ...scripted, ending: 'length' }], asking);
    expect(reply).toMatchObject({ calls: [], ending: { trouble }, costMicroCents: 45_000 });
  });
});
