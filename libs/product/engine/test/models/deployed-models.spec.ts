import { NoFaults, RulesModel } from '@app/rules-model';
import { readConfiguration } from '@app/settings';
import { modelsWith } from './provider-models';

describe('the models of a deployment', () => {
  const prices = { inputUsdPerMillion: '1', outputUsdPerMillion: '1' };
  const base = { MODEL_PROVIDER: 'anthropic', MODEL_API_KEY: 'k', MODEL_NAME: 'big' };

  const rules = new RulesModel(new NoFaults(), readConfiguration({}));

  it('are the rules alone where no provider is configured', () => {
    expect(modelsWith({}, [rules]).names).toEqual(['parley/rules']);
  });

  it('are the default, those that are allowed, and the rules', () => {
    const MODEL_PRICES = JSON.stringify({ big: prices, small: prices, unused: prices });
    expect(modelsWith({ ...base, MODEL_ALLOWED: 'small,big', MODEL_PRICES }, [rules]).names).toEqual([
      'big',
      'small',
      'parley/rules',
    ]);
  });
});
