import { Logger } from '@nestjs/common';
import type { Provider } from '@app/testing/models';
import { modelRequest } from '@app/testing/runs';
import type { StepRequest } from '../../src/models/model';
import { ProviderModels, said } from './provider-models';

const asking: StepRequest = { ...modelRequest('How much is 6 times 7?', [], []), reasoning: true };
const thoughts = ['Six times ', 'seven.'];
/** The engine's bound. */
const reasoningBytesMax = 64 * 1024;

describe.each<Provider>(['openai-compatible', 'anthropic'])(
  'the reasoning of a model of the provider %s',
  (provider) => {
    let models: ProviderModels;
    let log: jest.SpyInstance;
    beforeAll(async () => {
      log = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
      models = await ProviderModels.start(provider);
    });
    afterAll(async () => {
      log.mockRestore();
      await models.loopback.close();
    });

    /** One step, and the pieces of it that were shown. */
    async function shown(
      request: StepRequest,
      signal = new AbortController().signal,
      onShown: () => void = () => undefined,
    ) {
      const pieces: string[] = [];
      const reply = await models.model().step(
        request,
        (text, of) => {
          pieces.push(`${of}:${text}`);
          onShown();
        },
        signal,
      );
      return { reply, pieces };
    }

    it('is shown as it comes, before the words, and kept beside them', async () => {
      models.loopback.says([{ reasoning: thoughts, text: ['42.'] }]);
      const { reply, pieces } = await shown(asking);
      expect(pieces).toEqual(['reasoning:Six times ', 'reasoning:seven.', 'text:42.']);
      expect(reply).toMatchObject({ reasoning: { text: 'Six times seven.', truncated: false }, text: '42.' });
    });

    it('is neither shown nor kept where the profile leaves it out, and paid for all the same', async () => {
      models.loopback.says([{ reasoning: thoughts, text: ['42.'], usage: null }]);
      const { reply: with_ } = await shown(asking);
      const { reply, pieces } = await shown({ ...asking, reasoning: false });
      expect([pieces, reply.reasoning]).toEqual([['text:42.'], null]);
      expect([reply.estimated, reply.outputTokens]).toEqual([true, with_.outputTokens]);
    });

    it('is cut at its bound, and nothing after the cut is shown', async () => {
      models.loopback.says([{ reasoning: ['🐦"'.repeat(20_000), 'x', 'tail'], text: ['42.'] }]);
      const { reply, pieces } = await shown(asking);
      const { text = '', truncated } = reply.reasoning ?? {};
      expect([truncated, reply.text]).toEqual([true, '42.']);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(reasoningBytesMax);
      expect(Buffer.byteLength(text)).toBeGreaterThan(reasoningBytesMax / 2);
      expect('🐦"'.repeat(20_000).startsWith(text)).toBe(true);
      const thought = pieces.filter((piece) => piece.startsWith('reasoning:'));
      expect(thought.map((piece) => piece.slice('reasoning:'.length)).join('')).toBe(text);
    });

    it('that is broken off by an abort stays as far as it was shown', async () => {
      const stop = new AbortController();
      models.loopback.says([{ reasoning: thoughts, text: ['42.'], pauseMs: 60_000 }]);
      const { reply } = await shown(asking, stop.signal, () => stop.abort());
      expect(reply).toMatchObject({ text: null, ending: 'stopped', reasoning: { truncated: true } });
      expect('Six times seven.'.startsWith(reply.reasoning?.text ?? 'not shown')).toBe(true);
    });

    it('is no answer: a model that only thinks has answered nothing, and what it thought stays', async () => {
      models.loopback.says([{ reasoning: thoughts }]);
      const { reply } = await shown(asking);
      expect(reply).toMatchObject({
        text: null,
        ending: { trouble: 'empty' },
        reasoning: { text: 'Six times seven.', truncated: true },
      });
    });

    it('is not wanted by a model that was asked for a temperature and an effort, which are passed on', async () => {
      const { asked } = await models.step([{ text: ['42.'] }], { ...asking, temperature: 0.7, effort: 'minimal' });
      const { temperature, reasoning_effort: effort, output_config: config } = asked.body;
      expect([temperature, effort ?? config]).toEqual([0.7, provider === 'anthropic' ? { effort: 'low' } : 'minimal']);
      expect(said(asked.messages)).toEqual([['user', 'How much is 6 times 7?']]);
    });
  },
);
