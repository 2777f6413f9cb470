import type { JsonObject } from '@app/kernel';
import type { CallIds } from './call-context';

/** A tool as a server lists it: words and schema of somebody else. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object; bounded by nothing but the size of the message. */
  readonly inputSchema: unknown;
  /** Whether the server says that calling it again does nothing more. */
  readonly repeatable: boolean;
  /** Whether the server runs it only as a task of the protocol, of which this client knows nothing. */
  readonly asTask: boolean;
}

export interface ListedTools {
  readonly tools: readonly ListedTool[];
  /** Whether the server has more of them than are asked for. */
  readonly isCut: boolean;
}

/** What a server gets besides the input of a call. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** `_meta` of the request. */
  readonly meta: CallIds;
  /** Headers of this request alone; a child process gets none. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An open connection to an MCP server. Everything rejects with McpFailed. */
export interface McpConnection {
  /** False once its child process has ended. */
  readonly isOpen: boolean;
  listTools(signal: AbortSignal): Promise<ListedTools>;
  /**
   * The result as the server gave it, `{content, structuredContent, isError}` in the protocol's words, unchecked. Rejects at once when
   * the signal aborts, and then tells the server.
   */
  callTool(name: string, input: JsonObject, options: CallOptions): Promise<unknown>;
  close(): Promise<void>;
  /** Closes once the calls that are under way have ended; no other may begin. Never throws. */
  leave(): void;
}

/**
 * `refused`: the server answered with an error, whose text is the message. `unbegun`: it said that it does not know
 * the session, so nothing was done. `redirected`: it pointed to another origin, which is not followed. `unauthorized`: it, or the
 * issuer of tokens for it, does not take our credentials. `broken`: no answer, or none that can be understood. Except for `refused`
 * the message is for the log.
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

/** The largest message that is read from a server; what a tool may return of it is bounded by its own setting. */
export const messageBytesMax = 4 * 1024 * 1024;

/** The code of an error that stands for an answer which broke off; it is none of the protocol's. */
export const brokenOffCode = -32_099;
