import { Logger } from '@nestjs/common';
import {
  type Asked,
  contextRefusals,
  partRefusals,
  type Provider,
  type RefusedPart,
  type Scripted,
} from '@app/testing/models';
import { modelRequest } from '@app/testing/runs';
import type { ModelFailed, StepRequest } from '../../src/models/model';
import { ProviderModels } from './provider-models';

const schema = { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] };
const inputSchema = { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] };
const withTools = {
  ...modelRequest('Now?', [], []),
  tools: [{ name: 'clock', description: 'The time.', inputSchema }],
};
const tuned = { ...modelRequest('Now?', [], []), temperature: 0.7, effort: 'low' } as const;
const withFormat = { ...modelRequest('Sum.', [], []), outputSchema: schema };
const settings = { MODEL_OUTPUT_TOKENS: '512' };

/** Whether a request has the part that is refused, in its provider's format. */
const has: Readonly<Record<RefusedPart, (asked: Asked) => boolean>> = {
  format: ({ body }) => 'response_format' in body || JSON.stringify(body['tools'] ?? []).includes('"json"'),
  tool_schemas: ({ tools }) => tools.some((tool) => JSON.stringify(tool.schema).includes('zone')),
  cache_marks: ({ body }) => JSON.stringify(body).includes('"cache_control"'),
  max_tokens: ({ body }) => 'max_tokens' in body && !('system' in body),
  temperature: ({ body }) => 'temperature' in body,
  effort: ({ body }) => 'reasoning_effort' in body || JSON.stringify(body['output_config'] ?? {}).includes('effort'),
};

function requestWith(part: RefusedPart): StepRequest {
  if (part === 'temperature' || part === 'effort') return tuned;
  return part === 'format' ? withFormat : withTools;
}

describe.each<Provider>(['openai-compatible', 'anthropic'])('a provider %s', (provider) => {
  let models: ProviderModels;
  let log: jest.SpyInstance;
  beforeAll(async () => {
    models = await ProviderModels.start(provider, settings);
    log = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterAll(async () => {
    log.mockRestore();
    await models.loopback.close();
  });

  it.each(partRefusals(provider))(
    'that refuses $part as $server does is asked again without, once, and that is remembered',
    async ({ part, refusal }) => {
      const request = requestWith(part);
      const model = models.model();
      const ask = async () => model.step(request, () => undefined, new AbortController().signal);
      models.loopback.says((asked): Scripted => (has[part](asked) ? refusal : { text: ['{"total":3}'] }));
      expect((await ask()).text).toBe('{"total":3}');
      expect((await ask()).text).toBe('{"total":3}');
      expect(models.loopback.requests.map(({ asked }) => has[part](asked))).toEqual([true, false, false]);
    },
  );

  it.each(partRefusals(provider))(
    'that refuses everything as $server does is not asked forever ($part)',
    async ({ refusal }) => {
      const { error } = await models.failure([refusal], { ...withTools, outputSchema: schema });
      expect((error as ModelFailed).trouble).toBe('refused_request');
      expect(models.loopback.requests.length).toBeLessThanOrEqual(3);
    },
  );

  it('that refuses a format without a word is asked again without it', async () => {
    const { error } = await models.failure([{ status: 400 }], withFormat);
    expect([(error as ModelFailed).trouble, models.loopback.requests.length]).toEqual(['refused_request', 2]);
  });

  it('that refuses the schemas of tools is told them in words', async () => {
    const refusal = { status: 400, message: 'tools.0.input_schema: JSON schema is invalid' };
    const { reply, asked } = await models.step([refusal, { text: ['Noon.'] }], withTools);
    expect(reply.text).toBe('Noon.');
    expect(asked.tools[0]?.schema).toEqual(inputSchema);
    expect((await models.loopback.asked(2)).asked.tools).toEqual([
      {
        name: 'clock',
        schema: { type: 'object', properties: {} },
        description: `The time.\nIts input is an object of this JSON Schema: ${JSON.stringify(inputSchema)}`,
      },
    ]);
  });

  it('that refuses what cannot be left out is asked once', async () => {
    // The words in which Ollama and OpenRouter refuse tools altogether (ollama/ollama#5793, bobrware/bobrchat#60).
    const bodies = [
      { error: { message: 'llama3 does not support tools', type: 'api_error', param: null, code: null } },
      { error: { message: 'No endpoints found that support tool use.', code: 404 } },
    ];
    for (const body of bodies) {
      const { error } = await models.failure([{ status: 'code' in body.error ? 404 : 400, body }], withTools);
      expect([(error as ModelFailed).trouble, models.loopback.requests.length]).toEqual(['refused_request', 1]);
    }
  });

  describe.each(contextRefusals(provider))('whose context is full, as $server says it', ({ refusal }) => {
    const asking = modelRequest('How are you?', [], ['current_time']);
    const fine: Scripted = { text: ['Fine.'] };
    const turns = Array.from({ length: 16 }, (_, at) => ({
      input: `question ${at}`,
      steps: [{ text: `answer ${at}`, exchanges: [] }],
    }));
    const withHistory = { ...asking, history: turns };
    const answersUpTo = (messagesMax: number) => {
      return ({ messages }: Asked): Scripted => (messages.length > messagesMax ? refusal : fine);
    };

    it('is asked again with half of the history, at most three times', async () => {
      const { reply, pieces } = await models.step(answersUpTo(9), withHistory);
      const asked = models.loopback.requests.map(({ asked: { messages } }) => messages);
      expect([reply.text, pieces]).toEqual(['Fine.', ['Fine.']]);
      expect(asked.length).toBe(3);
      // The newest turns stay.
      expect(asked.map((messages) => messages.at(-2)?.text)).toEqual(['answer 15', 'answer 15', 'answer 15']);
      expect(asked.map((messages) => messages.at(-1)?.text)).toEqual(asked.map(() => 'How are you?'));
      await expect(models.failure(answersUpTo(1), withHistory)).resolves.toMatchObject({
        error: { trouble: 'context_full' },
      });
      expect(models.loopback.requests.length).toBe(4);
    });

    it('ends the step where there is no history', async () => {
      const { error } = await models.failure([refusal], asking);
      expect([(error as ModelFailed).trouble, models.loopback.requests.length]).toEqual(['context_full', 1]);
    });
  });
});
