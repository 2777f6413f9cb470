/** Models and MCP servers that break every rule of a connection: each attempt ends within its limits. */
import { Logger } from '@nestjs/common';
import { impoliteOutcomes } from '@app/testing/impolite';
import { modelRequest } from '@app/testing/runs';
import { connectMcp } from '../../src/mcp/client.adapter';
import { ContextKeys } from '../../src/mcp/context-keys';
import { McpServer } from '../../src/mcp/mcp-server';
import { calling, configured } from './mcp-calls';
import { modelsWith } from '../models/provider-models';

const limitMs = 1_500;
const asking = modelRequest('How are you?', [], []);
const timed = ['MODEL_TIMEOUT_MS', 'MODEL_FIRST_BYTE_TIMEOUT_MS', 'MODEL_IDLE_TIMEOUT_MS'];

beforeAll(() => void jest.spyOn(Logger.prototype, 'warn').mockImplementation());
afterAll(() => void jest.restoreAllMocks());

it.each(['openai-compatible', 'anthropic'])('a model of %s', async (provider) => {
  const found = await impoliteOutcomes({
    limitMs: 2 * limitMs, // the wait for the first byte, then the time of the answer
    attempt: async (url) => {
      const environment = {
        MODEL_PROVIDER: provider,
        MODEL_BASE_URL: url,
        MODEL_API_KEY: 'k',
        MODEL_NAME: 'm',
        MODEL_PRICES: '{"m": {"inputUsdPerMillion": "1", "outputUsdPerMillion": "1"}}',
        MODEL_RETRIES: '0',
        ...Object.fromEntries(timed.map((name) => [name, String(limitMs)])),
      };
      const model = modelsWith(environment).find('m');
      const { ending } = await model.step(asking, () => undefined, new AbortController().signal);
      return ending;
    },
    byFetch: true,
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
  // None of the responses is an answer.
  for (const ended of Object.values(found.ended)) expect(String(ended)).toMatch(/^Error: /);
});

it('an MCP server', async () => {
  const servers: McpServer[] = [];
  const transport = { type: 'http', url: 'http://127.0.0.1/' } as const;
  const times = { timeoutMs: limitMs, startTimeoutMs: limitMs };
  const configuration = configured({ name: 'docs', transport, consent: 'auto', ...times });
  const [settings] = configuration.env.MCP_SERVERS;
  if (settings === undefined) throw new Error('no server is configured');
  const keys = new ContextKeys(configuration);
  const found = await impoliteOutcomes({
    limitMs: limitMs + 1_000, // a handshake that was not accepted is cancelled, within a second
    attempt: async (url) => {
      const own = { ...settings, transport: { ...transport, url: `${url}/mcp` } };
      const server = new McpServer(own, new Set(), connectMcp, keys, new Logger('test'));
      servers.push(server);
      await server.refresh();
      return server.isAway ? 'away' : calling(server, 'docs_look', {});
    },
    byFetch: true,
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
  expect(new Set(Object.values(found.ended))).toEqual(new Set(['away']));
});
