// An MCP server of the official SDK as a child process, for tests; its first argument selects its behaviour.
// Source: MCP 2025-06-18, "Transports", "stdio", as @modelcontextprotocol/sdk 1.32.2 implements it.
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');

const text = (words) => ({ content: [{ type: 'text', text: words }] });
let cancelled = 0;

const tools = {
  echo: ({ words }) => text(String(words)),
  environment: () => text(JSON.stringify(process.env)),
  pid: () => text(String(process.pid)),
  cancelled: () => text(String(cancelled)),
  die: () => process.exit(3),
  // As servers that log what they are asked, and break on it.
  complain: ({ words }) => process.stderr.write(`cannot ${words}\n`, () => process.exit(4)),
  // Between messages of the protocol, like a print for debugging.
  garbage: () => (process.stdout.write('no JSON\n{"jsonrpc":\n'), text('after the garbage')),
  huge: () => text('x'.repeat(8 * 1024 * 1024)),
  // Reports what it is given, one report after the other, and its words again after the answer.
  progress: async ({ reports, late = [] }, { _meta, sendNotification }) => {
    const report = (params) =>
      sendNotification({
        method: 'notifications/progress',
        params: { progressToken: _meta?.progressToken, ...params },
      });
    for (const params of reports) await report(params);
    setTimeout(() => late.forEach(report), 50);
    return text(String(_meta?.progressToken));
  },
  flood: async ({ count, message }, { _meta, sendNotification }) => {
    const { progressToken } = _meta ?? {};
    for (let progress = 1; progress <= count; progress += 1)
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: count, message },
      });
    return text('flooded');
  },
  never: (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => (cancelled += 1))),
};

if (process.argv[2] === 'broken') {
  process.stderr.write('nothing to serve\n');
  process.exit(7);
}
const server = new Server({ name: 'child', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
  tools[params.name](params.arguments ?? {}, extra),
);
const start = () => void server.connect(new StdioServerTransport());
if (process.argv[2] === 'silent') {
  // It reads and never answers, like a server that waits for a sign-in in a browser, or for a download behind a
  // firewall.
  process.stdin.resume();
  process.stdin.on('end', () => process.exit());
} else if (process.argv[2] === 'slow') {
  // Like servers that `npx` or `uvx` download first.
  setTimeout(start, 6000);
} else start();
// It continues after the end of its input: a caller that wants it to end must kill it.
if (process.argv[2] === 'stubborn') setInterval(() => undefined, 1000);
