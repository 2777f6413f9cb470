import { Logger } from '@nestjs/common';
import { type Provider, type Scripted } from '@app/testing/models';
import { modelRequest } from '@app/testing/runs';
import type { LanguageModel } from '../../src/models/model';
import { modelsWith, ProviderModels } from './provider-models';

const asking = modelRequest('How are you?', [], ['current_time']);
const fine: Scripted = { text: ['Fine.'] };
const fast = { MODEL_RETRIES: '0' };

describe.each<Provider>(['openai-compatible', 'anthropic'])('waiting for the provider %s', (provider) => {
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

  it('that is a queue is waited out, beyond the silence that an answer may hold and the time that it may take', async () => {
    const model = models.model({ ...fast, MODEL_IDLE_TIMEOUT_MS: '500', MODEL_TIMEOUT_MS: '900' });
    models.loopback.says([{ ...fine, queuedMs: 1500 }]);
    expect(await model.step(asking, () => undefined, new AbortController().signal)).toMatchObject({ text: 'Fine.' });
  });

  it('that is a queue has a limit of its own, and is not asked again', async () => {
    const model = models.model({ MODEL_FIRST_BYTE_TIMEOUT_MS: '300' });
    const { error } = await models.failure([{ ...fine, queuedMs: 60_000 }], asking, model);
    expect([error, models.loopback.requests.length]).toMatchObject([{ trouble: 'queued' }, 1]);
    expect((await (await models.loopback.asked(1)).over).how).toBe('closed');
  });

  describe('that is a queue', () => {
    const settings = { ...fast, MODEL_FIRST_BYTE_TIMEOUT_MS: '200', MODEL_BREAKER_FAILURES: '2' };
    const queued: Scripted = { ...fine, queuedMs: 60_000 };

    it.each([
      ['opens no breaker while another answer streams', true],
      ['is an outage where no other answer streams', false],
    ])('%s', async (_what, streams) => {
      const deployed = modelsWith({ ...models.loopback.environment(), ...settings });
      const model = deployed.find('scripted-1');
      const stop = new AbortController();
      let busy: Promise<unknown> = Promise.resolve();
      if (streams) {
        models.loopback.says([{ ending: 'endless' }]);
        await new Promise<void>((heard) => {
          busy = model.step(asking, () => heard(), stop.signal);
        });
      }
      for (let failed = 0; failed < 3; failed += 1) {
        if (deployed.watched[0]?.breaker.open === true) break;
        await models.failure([queued], asking, model);
      }
      expect(deployed.watched[0]?.breaker.open).toBe(!streams);
      stop.abort();
      await busy;
    });
  });

  it('is asked as often as MODEL_RETRIES says, also beyond what opens the breaker', async () => {
    const model = models.model({ MODEL_RETRIES: '6', MODEL_BREAKER_OPEN_MS: '100' });
    const away = { status: 503, headers: { 'retry-after': '0' } };
    models.loopback.says([...Array<Scripted>(6).fill(away), fine]);
    expect(await model.step(asking, () => undefined, new AbortController().signal)).toMatchObject({ text: 'Fine.' });
    expect(models.loopback.requests.length).toBe(7);
  });

  describe('opens the breaker', () => {
    const wary = { ...fast, MODEL_BREAKER_FAILURES: '2' };
    const failTwice = async (model: LanguageModel) => {
      await models.failure([{ status: 500 }], asking, model);
      await models.failure([{ status: 500 }], asking, model);
    };

    it('for whom a step waits, and asks as soon as it may', async () => {
      const model = models.model({ ...wary, MODEL_BREAKER_OPEN_MS: '600' });
      await failTwice(model);
      models.loopback.says([fine]);
      const step = model.step(asking, () => undefined, new AbortController().signal);
      expect([(await step).text, models.loopback.requests.length]).toEqual(['Fine.', 1]);
    });

    it('for whom a step goes on to wait that only tried whether the provider is back', async () => {
      const model = models.model({ ...wary, MODEL_BREAKER_OPEN_MS: '300' });
      await failTwice(model);
      models.loopback.says([{ status: 500 }, { status: 500 }, fine]);
      const step = model.step(asking, () => undefined, new AbortController().signal);
      expect([(await step).text, models.loopback.requests.length]).toEqual(['Fine.', 3]);
    });

    it('for whom a step waits no longer than it may take, and asks nothing', async () => {
      const model = models.model({ ...wary, MODEL_BREAKER_OPEN_MS: '60000', MODEL_TIMEOUT_MS: '1000' });
      await failTwice(model);
      const { error } = await models.failure([fine], asking, model);
      expect([error, models.loopback.requests.length]).toMatchObject([{ trouble: 'not_asked' }, 0]);
    });

    it('for whom a step waits no longer than an abort', async () => {
      const model = models.model({ ...wary, MODEL_BREAKER_OPEN_MS: '60000' });
      await failTwice(model);
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 300);
      const { error } = await models.failure([fine], asking, model, stop.signal);
      expect([(error as Error).name, models.loopback.requests.length]).toEqual(['AbortError', 0]);
    });
  });
});
