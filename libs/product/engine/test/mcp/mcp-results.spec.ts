/** The result of a tool reaches the model whole, over both transports (docs/decisions/runs.md, "MCP"). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServerSettings } from '@app/settings';
import { callResult } from '../../src/mcp/call-result';
import { connectMcp } from '../../src/mcp/client.adapter';

const result = '{"content":[{"type":"text","text":"Paid."}],"structuredContent":{"paid":1.10,"id":9007199254740993}}';
const whole = { outcome: 'ok', result: { text: 'Paid.\n{"paid":1.10,"id":9007199254740993}' } };
const initialized =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}';

/** A server that writes its JSON by hand, with numbers spelled as in other languages. */
const answer = (line: string): string => {
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  if (id === undefined) return '';
  return `{"jsonrpc":"2.0","id":${id},"result":${method === 'initialize' ? initialized : result}}`;
};
const program = `const initialized=${JSON.stringify(initialized)},result=${JSON.stringify(result)};const answer=${answer.toString()};
require('node:readline').createInterface({input:process.stdin}).on('line',(line)=>{const said=answer(line);if(said)console.log(said)});`;

let server: Server;
let isStream = false;
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.once('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const said = answer(body);
      if (said === '') return response.writeHead(202).end();
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      return response.end(isStream ? `event: message\ndata: ${said}\n\n` : said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it.each(['stdio', 'JSON over HTTP', 'a stream over HTTP'])('over %s', async (way) => {
  isStream = way.startsWith('a stream');
  const { port } = server.address() as AddressInfo; // reason for the assertion: it listens on TCP
  const transport =
    way === 'stdio'
      ? { type: 'stdio', command: process.execPath, args: ['-e', program] }
      : { type: 'http', url: `http://127.0.0.1:${port}/mcp` };
  const { signal } = new AbortController();
  // Reason for the assertion: connecting reads nothing else of a server's settings.
  const connection = await connectMcp({ transport } as unknown as McpServerSettings, signal, () => undefined);
  try {
    // Reason for the assertion: the ids of a call are for the server alone.
    const options = { signal, meta: {} as never, headers: {}, onProgress: () => undefined };
    expect(callResult(await connection.callTool('pay', {}, options), 4096)).toEqual(whole);
  } finally {
    await connection.close();
  }
});
