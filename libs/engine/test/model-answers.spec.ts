import type { JsonValue } from '@app/kernel';
import { NoFaults, readConfiguration } from '@app/runtime';
import { LoopbackModels, type Provider, type Scripted } from '../../../test/models/loopback-models';
import type { LanguageModel, ModelRequest } from '../src/model';
import { Models } from '../src/models';
import { RulesModel } from '../src/rules-model';
import { modelRequest } from './model-request';

const never = new AbortController().signal;
const asking = modelRequest('How are you?', [], ['current_time', 'wallet.balances']);

describe.each<Provider>(['openai-compatible', 'anthropic'])('a model of the provider %s', (provider) => {
  let loopback: LoopbackModels;
  let model: LanguageModel;

  beforeAll(async () => {
    loopback = await LoopbackModels.start(provider);
    model = modelsWith(loopback.environment()).find('scripted-1');
  });
  afterAll(async () => loopback.close());

  const step = async (scripted: Scripted, request: ModelRequest = asking) => {
    loopback.says([scripted]);
    const pieces: string[] = [];
    const reply = await model.step(request, (text) => pieces.push(text), never);
    return { reply, pieces, asked: (await loopback.asked(1)).asked };
  };

  it('says its text as it comes, is counted and paid', async () => {
    const { reply, pieces, asked } = await step({ text: ['I am ', 'fine, ', '🐦.'] });
    expect(pieces).toEqual(['I am ', 'fine, ', '🐦.']);
    // 100 tokens at 3 and 10 at 15 USD per million: 450 millionths of a dollar.
    expect(reply).toEqual({
      ...{ text: 'I am fine, 🐦.', calls: [], inputTokens: 100, outputTokens: 10, costMicroCents: 45_000 },
    });
    expect([asked.model, asked.messages.map(({ role, text }) => [role, text])]).toEqual([
      'scripted-1',
      [['user', 'How are you?']],
    ]);
  });
});

function modelsWith(environment: NodeJS.ProcessEnv): Models {
  const configuration = readConfiguration(environment);
  return new Models(new RulesModel(new NoFaults(), configuration), configuration);
}
