import { Client } from '@modelcontextprotocol/client';
import { isJsonObject, productVersion, type JsonObject, type JsonValue } from '@app/kernel';
import { unlessAborted } from '@app/runtime';
import type { McpServerSettings } from '@app/settings';
import { boundedFetch } from './bounded-fetch';
import { McpFailed, messageBytesMax } from './connection';
import type { CallOptions, ListedTool, ListedTools, McpConnection } from './connection';
import { authProviderOf } from './credentials.adapter';
import { failureOf } from './failures.adapter';
import { HttpTransport } from './http.adapter';
import { StdioTransport } from './stdio.adapter';

/** Bounds of a server's list of tools, in pages and in characters of their JSON; beyond them no further page is requested. */
const pagesMax = 100;
const listLengthMax = 4 * messageBytesMax;
/** Longer than every limit of ours, which end a request by its signal; without it the client would apply its own limit of a minute. */
const timeout = 2 ** 31 - 1;

/** Accepts the server's answer unread, so that one tool with an odd schema does not exclude the others. */
const asItIs = {
  '~standard': { version: 1, vendor: 'parley', validate: (value: unknown) => ({ value }) },
} as const;

/**
 * Connects to an MCP server by the client of the MCP project. Rejects with McpFailed, and at once when the signal aborts.
 *
 * @param onToolsChanged called whenever the server says that its list of tools has changed
 */
export async function connectMcp(
  { transport: way }: McpServerSettings,
  signal: AbortSignal,
  onToolsChanged: () => void,
): Promise<McpConnection> {
  const stdio = way.type === 'stdio' ? new StdioTransport(way) : null;
  let http: HttpTransport | null = null;
  const translateFailure = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      throw failureOf(error, http?.sessionId, stdio?.lastWords ?? '');
    }
  };
  const client = new Client({ name: 'parley', version: productVersion });
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  await translateFailure(async () => {
    const transport = stdio ?? (http = await httpTransport(way));
    try {
      // The client applies the signal to the handshake's first request only: a server may answer that, and then never accept the next one.
      await unlessAborted(client.connect(transport, { timeout, signal }), signal);
    } catch (error) {
      await transport.close(); // a child that never got ready ends before another one is started
      throw error;
    }
  });
  const { trackCall, leave } = closeWhenLeft(client);
  return {
    get isOpen() {
      return stdio?.isOpen ?? true;
    },
    listTools: (listSignal) => translateFailure(() => listAll(client, listSignal)),
    callTool: (name, input, options) => trackCall(translateFailure(() => callTool(client, name, input, options))),
    close: () => client.close(),
    leave,
  };
}

/** Closes the client once it is left and no call is in flight. */
function closeWhenLeft(client: Client): { trackCall: <T>(call: Promise<T>) => Promise<T>; leave: () => void } {
  let callsUnderWay = 0;
  let isLeft = false;
  const closeIfLeft = () => {
    if (isLeft && callsUnderWay === 0) client.close().catch(() => undefined); // a client that does not close is gone either way
  };
  return {
    trackCall: (underWay) => {
      callsUnderWay += 1;
      return underWay.finally(() => {
        callsUnderWay -= 1;
        closeIfLeft();
      });
    },
    leave: () => {
      isLeft = true;
      closeIfLeft();
    },
  };
}

async function httpTransport(way: McpServerSettings['transport']): Promise<HttpTransport> {
  if (way.type !== 'http') throw new TypeError('not an HTTP transport');
  const url = new URL(way.url);
  const authProvider = await authProviderOf(way);
  const fetch = boundedFetch(url, way.headers ?? {}, messageBytesMax);
  return new HttpTransport(url, { fetch, ...(authProvider !== null && { authProvider }) });
}

/**
 * Lists the tools; a server without tools has an empty list and counts as available. A cursor that repeats ends the list, and a tool that
 * is listed twice word for word counts once.
 */
async function listAll(client: Client, signal: AbortSignal): Promise<ListedTools> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], isCut: false };
  const listed = new Map<string, unknown>();
  const cursors = new Set<unknown>();
  let cursor: JsonValue | undefined;
  let length = 0;
  do {
    cursors.add(cursor);
    const params = typeof cursor === 'string' ? { cursor } : {};
    const page = await client.request({ method: 'tools/list', params }, asItIs, { signal, timeout });
    if (!isJsonObject(page) || !Array.isArray(page['tools']))
      throw new McpFailed('broken', 'the list of tools was not understood');
    length += JSON.stringify(page).length;
    for (const tool of page['tools']) listed.set(JSON.stringify(tool), tool);
    cursor = page['nextCursor'];
  } while (isFurther(cursor, cursors) && cursors.size < pagesMax && length < listLengthMax);
  const tools = [...listed.values()].flatMap((tool) => readTool(tool) ?? []);
  return { tools, isCut: isFurther(cursor, cursors) };
}

function isFurther(cursor: JsonValue | undefined, asked: ReadonlySet<unknown>): boolean {
  return typeof cursor === 'string' && !asked.has(cursor);
}

/** Returns null for a tool without a name, because it could not be called. */
function readTool(tool: unknown): ListedTool | null {
  if (!isJsonObject(tool) || typeof tool['name'] !== 'string') return null;
  const { name, description, inputSchema, annotations, execution } = tool;
  const hints = isJsonObject(annotations) ? annotations : {};
  return {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema,
    repeatable: hints['readOnlyHint'] === true || hints['idempotentHint'] === true,
    asTask: isJsonObject(execution) && execution['taskSupport'] === 'required',
  };
}

/** Avoids the client's own `callTool`, which would compile the schemas that servers send for their results. */
function callTool(client: Client, name: string, input: JsonObject, options: CallOptions): Promise<unknown> {
  const { signal, meta, headers, onProgress } = options;
  const params = { name, arguments: input, _meta: { ...meta } };
  // The client adds the request's `progressToken`, and drops reports with any other. They extend no limit of time: the signal ends the call.
  return client.request({ method: 'tools/call', params }, asItIs, { signal, timeout, headers, onprogress: onProgress });
}
