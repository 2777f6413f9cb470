import { ConfigurationError } from '@app/runtime';
import { readConfiguration } from '../configuration';

const prices = '{"big": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "15.00"}}';
const anthropic = { MODEL_PROVIDER: 'anthropic', MODEL_API_KEY: 'k', MODEL_NAME: 'big', MODEL_PRICES: prices };

describe('the variables of models', () => {
  it('need nothing for the rules model', () => {
    const { env } = readConfiguration({});
    expect([env.MODEL_PROVIDER, env.MODEL_NAME, env.MODEL_PRICES]).toEqual(['rules', undefined, undefined]);
  });

  it('are read exactly', () => {
    const { env } = readConfiguration({ ...anthropic, MODEL_ALLOWED: 'big, big' });
    expect(env.MODEL_ALLOWED).toEqual(['big']);
    expect(env.MODEL_PRICES).toEqual({
      big: {
        inputUsdPerMillion: { unscaled: 3n, scale: 0 },
        // That of any input, because it has no price of its own.
        cachedInputUsdPerMillion: { unscaled: 3n, scale: 0 },
        // A quarter more, likewise.
        cacheWriteUsdPerMillion: { unscaled: 375n, scale: 2 },
        outputUsdPerMillion: { unscaled: 1500n, scale: 2 },
      },
    });
  });

  it('that a provider needs are all asked for at once', () => {
    const must = (...names: string[]) => names.map((name) => `  ${name}: must be set`);
    expect(problems({ MODEL_PROVIDER: 'openai-compatible' })).toEqual(
      must('MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_PRICES'),
    );
    expect(problems({ MODEL_PROVIDER: 'anthropic' })).toEqual(must('MODEL_API_KEY', 'MODEL_NAME', 'MODEL_PRICES'));
  });

  it('give every model that is offered a price', () => {
    const unpriced = ['  MODEL_PRICES: must price every model of MODEL_NAME and MODEL_ALLOWED'];
    expect(problems({ ...anthropic, MODEL_NAME: 'small' })).toEqual(unpriced);
    expect(problems({ ...anthropic, MODEL_ALLOWED: 'small,big' })).toEqual(unpriced);
    expect(problems({ ...anthropic, MODEL_NAME: 'toString' })).toEqual(unpriced);
  });

  it.each([
    '3',
    'null',
    '[]',
    '{"big": {}}',
    '{"big": {"inputUsdPerMillion": 3, "outputUsdPerMillion": 15}}',
    '{"big": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "-1"}}',
    '{"big": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "1e3"}}',
    '{"big": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "1000000"}}',
    '{"big": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "15", "cacheUsdPerMillion": "1"}}',
    '{"big": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "15", "cachedInputUsdPerMillion": 1}}',
    '{"big": {"cachedInputUsdPerMillion": "3", "outputUsdPerMillion": "15"}}',
    '{"big": {"inputUsdPerMillion": "3", "outputUsdPerMillion": "15", "cacheWriteUsdPerMillion": "-1"}}',
  ])('do not take %s for prices', (text) => {
    expect(problems({ ...anthropic, MODEL_PRICES: text })).toEqual([
      expect.stringMatching(/^ {2}MODEL_PRICES: must be/),
    ]);
  });

  it('price what is put into a cache', () => {
    const MODEL_PRICES =
      '{"big": {"inputUsdPerMillion": "3", "cacheWriteUsdPerMillion": "6", "outputUsdPerMillion": "15"}}';
    const { env } = readConfiguration({ ...anthropic, MODEL_PRICES });
    expect(env.MODEL_PRICES?.['big']?.cacheWriteUsdPerMillion).toEqual({ unscaled: 6n, scale: 0 });
  });

  it('take headers for gateways, and tell nothing of what they hold', () => {
    const { env } = readConfiguration({
      ...anthropic,
      MODEL_HEADERS: '{"cf-aig-authorization": "Bearer t", "X-A": "b"}',
    });
    expect(env.MODEL_HEADERS).toEqual({ 'cf-aig-authorization': 'Bearer t', 'X-A': 'b' });
    expect(readConfiguration(anthropic).env.MODEL_HEADERS).toEqual({});
    const wrong = ['hunter2', '["hunter2"]', '{"a": 1}', '{"a": "hunter2\\n"}', '{"a b": "hunter2"}', '{"a": ""}']
      .concat(['{"Host": "hunter2"}', '{"content-type": "hunter2"}'])
      .concat(JSON.stringify(Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`a${at}`, 'hunter2']))));
    for (const MODEL_HEADERS of wrong) {
      const lines = problems({ ...anthropic, MODEL_HEADERS });
      expect(lines).toEqual([expect.stringMatching(/^ {2}MODEL_HEADERS: must be JSON/)]);
      expect(lines.join()).not.toContain('hunter2');
    }
  });

  it('are checked without a word of what they hold', () => {
    const wrong = {
      MODEL_PROVIDER: 'hunter2',
      MODEL_BASE_URL: 'http://hunter2@host/v1',
      MODEL_API_KEY: 'hunter2 and a space',
      MODEL_NAME: 'parley/rules',
      MODEL_ALLOWED: 'a,,hunter2',
      MODEL_TIMEOUT_MS: '0',
      MODEL_RETRIES: '-1',
    };
    const lines = problems(wrong);
    expect(lines.map((line) => /^ {2}(\w+): /.exec(line)?.[1]).sort()).toEqual(Object.keys(wrong).sort());
    expect(lines.join()).not.toContain('hunter2');
  });
});

function problems(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfiguration(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split('\n').slice(1);
    throw error;
  }
}
