import { ConfigurationError } from '@app/runtime';
import { readConfiguration } from '../configuration';

const price = { inputUsdPerMillion: '3', outputUsdPerMillion: '15' };
const base = {
  MODEL_PROVIDER: 'anthropic',
  MODEL_API_KEY: 'k',
  MODEL_NAME: 'big',
  MODEL_ALLOWED: 'small',
  MODEL_PRICES: JSON.stringify({ big: price, small: price, backup: price }),
};
const elsewhere = { provider: 'openai-compatible', baseUrl: 'https://models.example/v1', apiKey: 'hunter2-secret' };

function problems(fallbacks: unknown, more: NodeJS.ProcessEnv = {}): readonly string[] {
  try {
    readConfiguration({ ...base, MODEL_FALLBACKS: JSON.stringify(fallbacks), ...more });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.message).not.toContain('hunter2');
    return error.message.split('\n').slice(1);
  }
}

it('fallbacks are read in their order, each with its own name and its own way', () => {
  const given = [
    { model: 'small', for: ['big'] },
    { model: 'big', as: 'backup', ...elsewhere },
  ];
  const { env } = readConfiguration({ ...base, MODEL_FALLBACKS: JSON.stringify(given) });
  const { provider, baseUrl, apiKey } = elsewhere;
  expect(env.MODEL_FALLBACKS).toEqual([
    { model: 'small', name: 'small', for: ['big'], connection: null },
    { model: 'big', name: 'backup', for: null, connection: { provider, baseUrl, apiKey, headers: {} } },
  ]);
  expect(readConfiguration(base).env.MODEL_FALLBACKS).toEqual([]);
});

it.each([
  ['no list', { model: 'small' }],
  ['no model', [{ provider: 'anthropic', apiKey: 'hunter2' }]],
  ['a key without a provider', [{ model: 'small', apiKey: 'hunter2' }]],
  ['an OpenAI-compatible provider without an address', [{ model: 'backup', provider: 'openai-compatible' }]],
  ['Anthropic without a key', [{ model: 'backup', provider: 'anthropic' }]],
  ['an address with credentials', [{ model: 'backup', ...elsewhere, baseUrl: 'https://a:hunter2@models.example' }]],
  ['a header that frames the request', [{ model: 'backup', ...elsewhere, headers: { Host: 'hunter2' } }]],
  ['the model of rules', [{ model: 'parley/rules' }]],
  ['a member that is not known', [{ model: 'backup', key: 'hunter2' }]],
  ['one model twice', [{ model: 'backup' }, { model: 'backup' }]],
  ['too many', Array.from({ length: 9 }, (_, index) => ({ model: `m${index}` }))],
])('fallbacks are refused with %s', (_what, fallbacks) => {
  expect(problems(fallbacks)).toEqual([expect.stringMatching(/^ {2}MODEL_FALLBACKS: must /)]);
});

it('fallbacks fit the other models: priced, in place of one that is offered, under a name of their own', () => {
  expect(problems([{ model: 'unpriced' }])).toEqual(['  MODEL_PRICES: must price every model of MODEL_FALLBACKS']);
  expect(problems([{ model: 'backup', for: ['huge'] }])).toEqual([
    '  MODEL_FALLBACKS: must stand in for models of MODEL_NAME and MODEL_ALLOWED only',
  ]);
  expect(problems([{ model: 'big', ...elsewhere }])).toEqual([
    '  MODEL_FALLBACKS: must give a model another name, by "as", than one that is reached otherwise',
  ]);
  expect(problems([{ model: 'backup' }], { MODEL_PROVIDER: 'rules' })).toEqual([
    '  MODEL_FALLBACKS: must go with a MODEL_PROVIDER that can be away',
  ]);
});
