import { servedBy } from './served-model';

const connection = { provider: 'openai-compatible', apiKey: undefined, headers: {} } as const;

it.each([
  ['https://api.openai.com/v1', 'openai', 443],
  ['https://api.x.ai/v1', 'x_ai', 443],
  ['https://notapi.x.ai/v1', 'openai', 443],
  ['https://api.x.ai.example.com/v1', 'openai', 443],
  ['https://some.openai.azure.com/openai/v1', 'azure.ai.openai', 443],
  ['https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1', 'aws.bedrock', 443],
  ['https://europe-west4-aiplatform.googleapis.com/v1', 'gcp.vertex_ai', 443],
  ['http://localhost:8080/v1', 'openai', 8080],
  ['http://models.internal/v1', 'openai', 80],
])('a server at %s is named %s', (baseUrl, provider, port) => {
  const served = servedBy({ ...connection, baseUrl }, 'big-1');
  expect(served).toEqual({ provider, model: 'big-1', server: { address: new URL(baseUrl).hostname, port } });
});

it('Anthropic’s format is named by its vendor, behind a gateway too', () => {
  const anthropic = { ...connection, provider: 'anthropic' } as const;
  const { provider, server } = servedBy({ ...anthropic, baseUrl: undefined }, 'big-1');
  expect([provider, server]).toEqual(['anthropic', { address: 'api.anthropic.com', port: 443 }]);
  expect(servedBy({ ...anthropic, baseUrl: 'https://gateway.example.com' }, 'big-1').provider).toBe('anthropic');
});
