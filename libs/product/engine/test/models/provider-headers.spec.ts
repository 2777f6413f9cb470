import { Logger } from '@nestjs/common';
import { type Provider } from '@app/testing/models';
import { modelRequest } from '@app/testing/runs';
import { ProviderModels } from './provider-models';

const asking = modelRequest('How are you?', [], []);

describe.each<Provider>(['openai-compatible', 'anthropic'])('a gateway before the provider %s', (provider) => {
  let models: ProviderModels;
  beforeAll(async () => {
    models = await ProviderModels.start(provider);
  });
  afterAll(async () => models.loopback.close());

  const headersOf = async (headers: Record<string, string>) => {
    models.loopback.says([{ text: ['Fine.'] }]);
    const model = models.model({ MODEL_HEADERS: JSON.stringify(headers) });
    await model.step(asking, () => undefined, new AbortController().signal);
    return (await models.loopback.asked(1)).headers;
  };

  it('gets the headers that are configured, beside the key', async () => {
    const sent = await headersOf({ 'X-Gateway-Token': 'hunter2', 'HTTP-Referer': 'https://partner.test' });
    expect(sent).toMatchObject({ 'x-gateway-token': 'hunter2', 'http-referer': 'https://partner.test' });
    const key = provider === 'anthropic' ? sent['x-api-key'] : sent.authorization;
    expect(key).toContain('key-for-the-loopback-models');
  });

  it('may want the key in a header of its own kind', async () => {
    const name = provider === 'anthropic' ? 'X-Api-Key' : 'Authorization';
    expect((await headersOf({ [name]: 'Token hunter2' }))[name.toLowerCase()]).toBe('Token hunter2');
  });

  it('is quoted without its secrets', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const model = models.model({ MODEL_HEADERS: '{"x-gateway-token": "hunter2"}', MODEL_RETRIES: '1' });
    const busy = { status: 503, headers: { 'retry-after': '0' }, message: 'no place for hunter2' };
    const { error } = await models.failure([busy], asking, model);
    expect(String(error)).toContain('no place for [key]');
    expect(JSON.stringify([warn.mock.calls, (error as Error).stack])).not.toContain('hunter2');
    warn.mockRestore();
  });
});
