/** Models and MCP servers that break every rule of a connection: each attempt ends within its limits. */
import { Logger } from '@nestjs/common';
import { impoliteOutcomes } from '@app/testing/impolite';
import { modelRequest } from '@app/testing/runs';
import { connectMcp } from '../src/mcp/client.adapter';
import { ContextKeys } from '../src/mcp/context-keys';
import { McpServer } from '../src/mcp/mcp-server';
import { calling, configured } from './mcp-calls';
import { modelsWith } from './provider-models';

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
        MODEL_RETRIES: '0',
        ...Object.fromEntries(timed.map((name) => [name, String(limitMs)])),
      };
      const model = modelsWith(environment).find('m');
      const { ending } = await model.step(asking, () => undefined, new AbortController().signal);
      return ending;
    },
  });
  console.log(JSON.stringify(found, null, 1));
  expect(found).toMatchObject({ hanging: [], left: [] });
});

it('an MCP server', async () => {
  const servers: McpServer[] = [];
  const found = await impoliteOutcomes({
    limitMs: limitMs + 1_000, // a handshake that was not taken is canceled, in a second
    attempt: async (url) => {
      const transport = { type: 'http', url: `${url}/mcp` };
      const configuration = configured({
        name: 'docs',
        transport,
        consent: 'auto',
        timeoutMs: limitMs,
        startTimeoutMs: limitMs,
      });
      const [settings] = configuration.env.MCP_SERVERS;
      if (settings === undefined) throw new Error('no server is configured');
      const keys = new ContextKeys(configuration);
      const server = new McpServer(settings, new Set(), connectMcp, keys, new Logger('test'));
      servers.push(server);
      await server.refresh();
      return server.isAway ? 'away' : calling(server, 'docs_look', {});
    },
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  });
  console.log(JSON.stringify(found, null, 1));
  expect(found).toMatchObject({ hanging: [], left: [] });
});
