import { createMCPClient, type ListToolsResult, type MCPClient, type MCPClientConfig } from '@ai-sdk/mcp';
import type { JsonObject } from '@app/kernel';
import type { McpTransport } from '@app/runtime';
import { boundedFetch, brokenBodyCode } from './bounded-fetch';
import { McpFailed, messageBytesMax, type ListedTool, type McpConnection } from './connection';
import { StdioTransport } from './stdio.adapter';

const pagesMax = 10;
const loggedLengthMax = 500;

/**
 * Connects to an MCP server. `@ai-sdk/mcp` rather than the official SDK, whose client brings a web server's packages along and compiles
 * the schemas that servers send. Rejects with McpFailed.
 */
export async function connectMcp(transport: McpTransport, timeoutMs: number): Promise<McpConnection> {
  const stdio = transport.type === 'stdio' ? new StdioTransport(transport) : null;
  const client = await told(stdio, () =>
    createMCPClient({
      transport: stdio ?? httpTransport(transport),
      initializationOptions: { timeout: timeoutMs },
      clientName: 'parley',
    }),
  );
  return {
    get isOpen() {
      return stdio?.isOpen ?? true;
    },
    listTools: (signal) => told(stdio, () => listAll(client, signal)),
    callTool: (name, input, signal) => told(stdio, () => call(client, name, input, signal)),
    close: () => client.close(),
  };
}

function httpTransport(transport: McpTransport): MCPClientConfig['transport'] {
  if (transport.type !== 'http') throw new TypeError('not an HTTP transport');
  const { url, headers = {} } = transport;
  // A redirect would take the headers, which hold credentials, to wherever the server says.
  return { type: 'http', url, headers, redirect: 'error', fetch: boundedFetch(messageBytesMax) };
}

async function listAll(client: MCPClient, signal: AbortSignal): Promise<readonly ListedTool[]> {
  const tools: ListToolsResult['tools'] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const listed = await client.listTools({ params: cursor === undefined ? {} : { cursor }, options: { signal } });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools.map(({ name, description, inputSchema, annotations }) => ({
    ...{ name, description: description ?? '', inputSchema },
    repeatable: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
  }));
}

/** The client calls tools only through definitions; this one says no more than the name. */
async function call(client: MCPClient, name: string, input: JsonObject, signal: AbortSignal): Promise<unknown> {
  const tool = client.toolsFromDefinitions({ tools: [{ name, inputSchema: { type: 'object' } }] })[name];
  if (tool === undefined) throw new TypeError(`no definition of ${name}`);
  return tool.execute(input, { abortSignal: signal, toolCallId: name, messages: [] });
}

async function told<T>(stdio: StdioTransport | null, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw failureOf(error, stdio?.lastWords ?? '');
  }
}

/** What the client threw: an error of JSON-RPC has a code, one of HTTP a status. */
function failureOf(error: unknown, lastWords: string): McpFailed {
  const message = error instanceof Error ? error.message : String(error);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }; // whatever was thrown may be asked for members
  if (typeof code === 'number' && code !== brokenBodyCode) return new McpFailed('refused', message);
  // A server that has forgotten the session answers 404 by the protocol, and 400 in practice.
  const kind = statusCode === 404 || statusCode === 400 ? 'unbegun' : 'broken';
  return new McpFailed(kind, `${message.slice(0, loggedLengthMax)} ${lastWords}`.trim());
}
