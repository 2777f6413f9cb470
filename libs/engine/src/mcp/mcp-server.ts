import type { Logger } from '@nestjs/common';
import type { JsonObject } from '@app/kernel';
import { unlessAborted, type McpServerSettings } from '@app/runtime';
import { failed, type Tool, type ToolResult } from '../tool';
import { callResult, reported } from './call-result';
import { connectMcp } from './client.adapter';
import { McpFailed, type McpConnection } from './connection';
import { offeredTools } from './listed-tools';

/** How long connecting may take, and listing. */
const answersWithinMs = 5000;
const leftOutToldMax = 10;

/** One server: its connection, which is made anew whenever it broke, and its tools as it listed them last. */
export class McpServer {
  /** None while the server is away. */
  tools: readonly Tool[] = [];
  private connection: Promise<McpConnection> | null = null;
  private logged = '';
  private closed = false;
  private callsUnderWay = 0;

  constructor(
    readonly settings: McpServerSettings,
    private readonly taken: ReadonlySet<string>,
    private readonly logger: Logger,
  ) {}

  /**
   * Lists the tools once more; a server that cannot be reached or understood has none until it can. One that is at work may be slow to
   * answer and is not looked at: what it does would be cut off. Never rejects.
   */
  async refresh(): Promise<void> {
    if (this.callsUnderWay > 0) return;
    try {
      const connection = await this.connect();
      const listed = await connection.listTools(AbortSignal.timeout(answersWithinMs));
      const { tools, leftOut } = offeredTools(this.settings, listed, this.taken, (tool, input, signal) =>
        this.call(tool, input, signal),
      );
      this.tools = this.closed ? [] : tools;
      const told = leftOut.slice(0, leftOutToldMax).map((line) => `; left out ${line}`);
      this.log(`offers ${tools.length} tools, ${leftOut.length} left out${told.join('')}`);
    } catch (error) {
      this.tools = [];
      this.log(`is away: ${String(error)}`);
      await this.disconnect();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.tools = [];
    await this.disconnect();
  }

  /** One call. Whatever goes wrong is its outcome; rejects never. */
  private async call(tool: string, input: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    const patience = AbortSignal.timeout(this.settings.timeoutMs);
    const either = AbortSignal.any([signal, patience]);
    this.callsUnderWay += 1;
    try {
      return callResult(await this.ask(tool, input, either), this.settings.resultBytesMax);
    } catch (error) {
      if (signal.aborted) return failed('the call was stopped');
      if (patience.aborted) return failed(`there was no answer within ${this.settings.timeoutMs} ms`);
      if (error instanceof McpFailed && error.kind === 'refused') return reported(error.message);
      this.logger.warn(`${this.settings.name}: a call of ${tool} failed: ${String(error)}`);
      return failed('the server could not be reached, or its answer was not understood');
    } finally {
      this.callsUnderWay -= 1;
    }
  }

  /** Asks twice only where the server did not begin: it was started again and has forgotten the session. */
  private async ask(tool: string, input: JsonObject, signal: AbortSignal): Promise<unknown> {
    const connection = await unlessAborted(this.connect(), signal);
    const opened = this.connection;
    try {
      return await connection.callTool(tool, input, signal);
    } catch (error) {
      if (!(error instanceof McpFailed) || error.kind !== 'unbegun') throw error;
      // Only forgotten, not closed: other calls may be under way.
      if (this.connection === opened) this.connection = null;
      return (await unlessAborted(this.connect(), signal)).callTool(tool, input, signal);
    }
  }

  /** The open connection, or a new one; those who ask at once share it. */
  private async connect(): Promise<McpConnection> {
    if (this.closed) throw new McpFailed('broken', 'the process is stopping');
    const present = this.connection;
    if (present !== null && (await present).isOpen) return present;
    if (this.connection === present) {
      const opening = connectMcp(this.settings.transport, answersWithinMs);
      this.connection = opening;
      opening.catch(() => {
        if (this.connection === opening) this.connection = null;
      });
    }
    return this.connection ?? this.connect();
  }

  private async disconnect(): Promise<void> {
    const { connection } = this;
    this.connection = null;
    await connection?.then((open) => open.close()).catch(() => undefined); // what did not open or close is gone either way
  }

  /** Once for each change: a look every few seconds would fill the log. */
  private log(what: string): void {
    if (this.logged === what) return;
    this.logged = what;
    this.logger.log(`MCP server ${this.settings.name} ${what}`);
  }
}
