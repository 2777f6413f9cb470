import { randomBytes } from 'node:crypto';
import { asId, type ConversationId, type RequestId, type RunId, type ToolCallId, type UserId } from '@app/kernel';
import { readConfiguration, type Configuration } from '@app/settings';
import { ContextKeys } from '../../src/mcp/context-keys';
import { McpServers } from '../../src/mcp/mcp-servers';
import type { CallContext, ToolResult } from '../../src/tool';

const requestId = asId<RequestId>('request-1');

/** A sandbox's configuration with these servers. */
export function configured(...servers: readonly object[]): Configuration {
  const PARLEY_SECRET_KEY = randomBytes(32).toString('base64');
  return readConfiguration({ MCP_SERVERS: JSON.stringify(servers), PARLEY_SECRET_KEY });
}

/** The servers of a process, none of which has started. */
export function serversOf(...servers: readonly object[]): McpServers {
  const configuration = configured(...servers);
  return new McpServers(configuration, new ContextKeys(configuration));
}

/** The owner of the tests' calls. */
const context: CallContext = {
  userId: asId<UserId>('user'),
  conversationId: asId<ConversationId>('conversation'),
  runId: asId<RunId>('run'),
  automationId: null,
  toolCallId: asId<ToolCallId>('run/1/0'),
  cause: {
    actor: { kind: 'service', id: 'test' },
    requestId,
    correlationId: requestId,
    causationId: requestId,
  },
};

/** Calls a tool that needs no consent, as the engine does. */
export async function calling(
  servers: Pick<McpServers, 'tools'>,
  name: string,
  input: object,
  signal: AbortSignal = new AbortController().signal,
  whose: Partial<CallContext> = {},
): Promise<ToolResult> {
  const tool = servers.tools.find((offered) => offered.name === name);
  if (tool?.consent !== 'auto') throw new Error(`${name} is not offered, or asks`);
  return tool.run({ ...input }, { ...context, ...whose }, signal);
}
