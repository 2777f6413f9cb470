import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** A tool as a test's server lists it: any values, because servers may send any. */
export interface ServedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly idempotentHint?: boolean };
  /**
   * Sent by servers that run a tool only as a task, such as `simulate-research-query` of the project's "everything"
   * server.
   */
  readonly execution?: { readonly taskSupport: 'required' | 'optional' | 'forbidden' };
}

export interface ServedCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
  /** `_meta` without the protocol's own member. */
  readonly meta: Record<string, unknown>;
  /** Given with every request whose progress the client wants. */
  readonly progressToken: string | number | undefined;
  /** Aborts when the client cancels. */
  readonly signal: AbortSignal;
  /** Notifies the client of progress: any values, and by default with the request's own token. */
  report(progress: object): Promise<void>;
}

/** The tools of a test's server, and its answers. */
export interface ServedTools {
  tools: readonly ServedTool[];
  answer(call: ServedCall): Promise<CallToolResult> | CallToolResult;
}

/**
 * Returns a server of the official SDK; one server serves one session.
 *
 * Source: MCP 2025-06-18, "Tools" and "Progress", as @modelcontextprotocol/sdk 1.32.2 implements it; the project's "everything" server
 * (tasks).
 */
export function toolServer(served: ServedTools): Server {
  const server = new Server({ name: 'test', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    // Reason for the assertion: tools that break the protocol are listed as well.
    tools: served.tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })) as never,
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification }) => {
    const { progressToken, ...meta } = params._meta ?? {};
    const report = (progress: object) =>
      // Reason for the assertion: reports that break the protocol are sent as well.
      sendNotification({ method: 'notifications/progress', params: { progressToken, ...progress } as never });
    return served.answer({ name: params.name, input: params.arguments ?? {}, meta, progressToken, signal, report });
  });
  return server;
}

/** Returns a result with this text. */
export function saying(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
