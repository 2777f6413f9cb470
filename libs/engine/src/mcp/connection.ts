import type { JsonObject } from '@app/kernel';

/** A tool as a server lists it: words and schema of somebody else. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object; bounded by nothing but the size of the message. */
  readonly inputSchema: unknown;
  /** Whether the server says that calling it again does nothing more. */
  readonly repeatable: boolean;
}

/** An open connection to an MCP server. Everything rejects with McpFailed. */
export interface McpConnection {
  /** False once its child process has ended. */
  readonly isOpen: boolean;
  listTools(signal: AbortSignal): Promise<readonly ListedTool[]>;
  /** The result as the server gave it, `{content, structuredContent, isError}` in the protocol's words, unchecked. */
  callTool(name: string, input: JsonObject, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * `refused`: the server answered with an error, whose text is the message. `unbegun`: it took the request for no part of a session
 * that it knows, so nothing was done. `broken`: no answer, or none that can be understood; the message is for the log.
 */
export class McpFailed extends Error {
  constructor(
    readonly kind: 'refused' | 'unbegun' | 'broken',
    message: string,
  ) {
    super(message);
  }
}

/** The largest message that is read from a server; what a tool may return of it is bounded by its own setting. */
export const messageBytesMax = 4 * 1024 * 1024;
