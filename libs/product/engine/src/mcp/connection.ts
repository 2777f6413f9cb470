import type { JsonObject } from '@app/kernel';
import type { CallContext } from '../tool';
import type { GivenProgress } from './rising-progress';

/** A tool as a server lists it; words and schema are the server's. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object; bounded only by the size of the message. */
  readonly inputSchema: unknown;
  /** Whether the server says that a repeated call has no further effect. */
  readonly repeatable: boolean;
  /** Whether the server runs it only as a task of the protocol, which this client does not support. */
  readonly asTask: boolean;
}

export interface ListedTools {
  readonly tools: readonly ListedTool[];
  /** Whether the server has more tools than are requested. */
  readonly isCut: boolean;
}

/** The owner of a call, as servers receive it: in `_meta` of the request, and as claims of the header Parley-Context (docs/mcp.md). */
export interface CallIds {
  readonly 'parley/userId': string;
  readonly 'parley/conversationId': string;
  readonly 'parley/runId': string;
  /**
   * The same for every attempt of one call. Unique only per user: clients choose ids of runs, so another user's call may have the same one.
   */
  readonly 'parley/toolCallId': string;
}

/** The signal of a call, and what a server gets in addition to its input. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** `_meta` of the request. */
  readonly meta: CallIds;
  /** Headers of this request alone; a child process gets none. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called for each report of this request until it ends, unbounded in number and in what it holds. */
  readonly onProgress: (given: GivenProgress) => void;
}

/** An open connection to an MCP server. Everything rejects with McpFailed. */
export interface McpConnection {
  /** False once its child process has ended. */
  readonly isOpen: boolean;
  listTools(signal: AbortSignal): Promise<ListedTools>;
  /**
   * Resolves to the result as the server gave it, `{content, structuredContent, isError}` in the protocol's words, unchecked. When the
   * signal aborts, rejects at once and then notifies the server.
   */
  callTool(name: string, input: JsonObject, options: CallOptions): Promise<unknown>;
  close(): Promise<void>;
  /** Closes once the calls in flight have ended; no other may begin. Never throws. */
  leave(): void;
}

/**
 * `refused`: the server answered with an error, whose text is the message. `unbegun`: the server does not know the session, so nothing was
 * done. `redirected`: it pointed to another origin, which is not followed. `unauthorized`: the server, or its issuer of tokens, does not
 * accept our credentials. `broken`: no answer, or none that can be understood. Except for `refused` the message is for the log.
 */
export class McpFailed extends Error {
  override readonly name = 'McpFailed';

  constructor(
    readonly kind: 'refused' | 'unbegun' | 'redirected' | 'unauthorized' | 'broken',
    message: string,
  ) {
    super(message);
  }
}

/** The largest message that is read from a server; the result of a tool is bounded by its own setting as well. */
export const messageBytesMax = 4 * 1024 * 1024;

/** The error code of an answer that broke off; it is none of the protocol's. */
export const brokenOffCode = -32_099;

/** The ids of a call's owner. */
export function callIdsOf({ userId, conversationId, runId, toolCallId }: CallContext): CallIds {
  return {
    'parley/userId': userId,
    'parley/conversationId': conversationId,
    'parley/runId': runId,
    'parley/toolCallId': toolCallId,
  };
}
