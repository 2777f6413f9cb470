import { asId, type ConversationId, type RequestId, type RunId, type ToolCallId, type UserId } from '@app/kernel';
import type { McpServers } from '../src/mcp/mcp-servers';
import type { CallContext, ToolResult } from '../src/tool';

const requestId = asId<RequestId>('request-1');

/** Whose calls the tests make. */
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
): Promise<ToolResult> {
  const tool = servers.tools.find((offered) => offered.name === name);
  if (tool?.consent !== 'auto') throw new Error(`${name} is not offered, or asks`);
  return tool.run({ ...input }, context, signal);
}
