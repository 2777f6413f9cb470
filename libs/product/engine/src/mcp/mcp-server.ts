import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { words as say, type JsonObject, type Words } from '@app/kernel';
import { abortAfter, unlessAborted } from '@app/runtime';
import type { McpServerSettings } from '@app/settings';
import { failWith, type CallContext, type Tool, type ToolResult } from '../tool';
import { callResult, reportError } from './call-result';
import { callIdsOf, McpFailed, type CallOptions, type McpConnection } from './connection';
import type { ContextKeys } from './context-keys';
import { offeredTools, toolSettingsOf } from './listed-tools';
import { risingProgress } from './rising-progress';

/** How long listing may take once the server has started. */
const answersWithinMs = 5000;
/** A server that announces changes of its tools without end is listed at most this often. */
const changesEveryMs = 1000;
/** While a call waits for an unavailable server, it is asked for its tools at most this often. */
const askAwayEveryMs = 1000;
const waitsEveryMs = 100;
const leftOutToldMax = 10;
/** Pauses before further attempts of a call that is safe to repeat; all attempts share the time of the call. */
const attemptPausesMs = [250, 500, 1000, 2000, 4000, 8000];

/**
 * Results for a model when no answer arrived; the cause goes to the log. A model that took "no answer" for "not done" would repeat the call
 * under another key.
 */
const words: Readonly<Record<Exclude<McpFailed['kind'], 'refused'>, Words>> = {
  unbegun: say`the server does not know our session`,
  redirected: say`the server redirects to another address, which is not followed`,
  unauthorized: say`the server refused our credentials`,
  broken: say`outcome unknown: the server could not be reached, or its answer was not understood`,
};

/** Opens a connection, as `connectMcp` does. */
export type Connect = (
  settings: McpServerSettings,
  signal: AbortSignal,
  onToolsChanged: () => void,
) => Promise<McpConnection>;

/** One server: its connection, reopened whenever it broke, and its tools as last listed. */
export class McpServer {
  /** Empty while the server is away. */
  tools: readonly Tool[] = [];
  /** True until its tools are listed, and after a listing has failed. */
  isAway = true;
  private connection: Promise<McpConnection> | null = null;
  private listing: Promise<void> | null = null;
  private listedAt = -Infinity;
  private isChangePending = false;
  private logged = '';
  private readonly closing = new AbortController();
  private callsUnderWay = 0;

  constructor(
    readonly settings: McpServerSettings,
    private readonly taken: ReadonlySet<string>,
    private readonly open: Connect,
    private readonly keys: ContextKeys,
    private readonly logger: Logger,
  ) {}

  /**
   * Lists the tools again; a server that cannot be reached or understood has none until it can. A failure during a call changes nothing,
   * because a busy server may be slow to answer, and disconnecting would cut the call off. Concurrent calls share one listing. Never
   * rejects.
   */
  refresh(): Promise<void> {
    this.listing ??= this.list().finally(() => {
      this.listing = null;
      this.listedAt = performance.now();
    });
    return this.listing;
  }

  /**
   * Checks whether the server is there now and, if not, waits until it is, at most as long as a start may take. Several waiters do not ask
   * more often than one. Rejects when the signal aborts.
   */
  async untilThere(signal: AbortSignal): Promise<void> {
    const patience = abortAfter(this.settings.startTimeoutMs);
    const either = AbortSignal.any([signal, patience]);
    try {
      await unlessAborted(this.refresh(), either);
      while (this.isAway) {
        await sleep(waitsEveryMs, null, { signal: either });
        if (performance.now() - this.listedAt >= askAwayEveryMs) await unlessAborted(this.refresh(), either);
      }
    } catch (error) {
      if (signal.aborted || !patience.aborted) throw error;
    }
  }

  /** Logs that this server has not been available yet, if so. */
  tellAbsence(): void {
    if (this.isAway && this.logged === '') this.tell('warn', 'is not up yet; its tools are offered when it is');
  }

  async close(): Promise<void> {
    this.closing.abort(new McpFailed('broken', 'the process is stopping'));
    this.tools = [];
    await this.disconnect();
    await this.listing;
  }

  private async list(): Promise<void> {
    const patience = abortAfter(this.isAway ? this.settings.startTimeoutMs : answersWithinMs);
    try {
      const signal = AbortSignal.any([patience, this.closing.signal]);
      const listed = await (await unlessAborted(this.connect(), signal)).listTools(signal);
      const { tools, leftOut } = offeredTools(this.settings, listed.tools, this.taken, (...call) => this.call(...call));
      if (this.closing.signal.aborted) return;
      this.tools = tools;
      this.isAway = false;
      const told = leftOut.slice(0, leftOutToldMax).map((line) => `; left out ${line}`);
      const more = listed.isCut ? '; its list goes on, and was not read further' : '';
      this.tell('log', `offers ${tools.length} tools, ${leftOut.length} left out${told.join('')}${more}`);
    } catch (error) {
      if (this.callsUnderWay > 0 || this.closing.signal.aborted) return;
      this.tools = [];
      this.isAway = true;
      const why = patience.aborted ? 'it did not answer in time' : wordsOf(error);
      this.tell('warn', `is away, and its tools with it: ${why}`);
      await this.disconnect();
    }
  }

  /** Lists once more for all changes announced until then, after a pause; the previous tools stay valid meanwhile. Never rejects. */
  private async listAgain(): Promise<void> {
    if (this.isChangePending) return;
    this.isChangePending = true;
    await this.listing;
    const pauseMs = Math.max(0, this.listedAt + changesEveryMs - performance.now());
    await sleep(pauseMs, null, { signal: this.closing.signal }).catch(() => null); // closing ends the pause
    while (this.listing !== null) await this.listing; // a listing that began meanwhile may have been answered before the last change
    this.isChangePending = false;
    if (!this.closing.signal.aborted) await this.refresh();
  }

  /** Makes one call. A failure is an outcome too; never rejects. */
  private async call(tool: string, input: JsonObject, context: CallContext, signal: AbortSignal): Promise<ToolResult> {
    const patience = abortAfter(this.settings.timeoutMs);
    const both = AbortSignal.any([signal, patience]);
    const ask = () => this.ask(tool, input, context, both);
    this.callsUnderWay += 1;
    try {
      const isIdempotent = toolSettingsOf(this.settings, tool).idempotent === true;
      return callResult(await (isIdempotent ? askAgain(ask, both) : ask()), this.settings.resultBytesMax);
    } catch (error) {
      if (signal.aborted) return failWith('the call was stopped');
      if (patience.aborted)
        return failWith(say`outcome unknown: there was no answer within ${this.settings.timeoutMs} ms`);
      const kind = error instanceof McpFailed ? error.kind : 'broken';
      if (kind === 'refused') return reportError(wordsOf(error));
      this.logger.warn(`MCP server ${this.settings.name}: a call of ${tool} failed: ${wordsOf(error)}`);
      return failWith(words[kind]);
    } finally {
      this.callsUnderWay -= 1;
    }
  }

  /** Repeats the call only if the server did not begin, because it restarted and forgot the session. */
  private async ask(tool: string, input: JsonObject, context: CallContext, signal: AbortSignal): Promise<unknown> {
    const connection = await unlessAborted(this.connect(), signal);
    const opened = this.connection;
    try {
      return await connection.callTool(tool, input, await this.optionsOf(context, signal));
    } catch (error) {
      if (!(error instanceof McpFailed) || error.kind !== 'unbegun') throw error;
      if (this.connection === opened) this.connection = null;
      connection.leave(); // other calls may be in flight on it
      const other = await unlessAborted(this.connect(), signal);
      return other.callTool(tool, input, await this.optionsOf(context, signal));
    }
  }

  /** Rebuilt for each attempt: the signed token lives for a minute, and progress starts from zero again. */
  private async optionsOf(context: CallContext, signal: AbortSignal): Promise<CallOptions> {
    const { name, transport } = this.settings;
    const meta = callIdsOf(context);
    const headers = transport.type === 'http' ? { 'Parley-Context': await this.keys.sign(name, meta) } : {};
    return { signal, meta, headers, onProgress: risingProgress(context.report ?? ignoreProgress) };
  }

  /** Returns the open connection, or a new one; concurrent callers share it. */
  private async connect(): Promise<McpConnection> {
    this.closing.signal.throwIfAborted();
    const present = this.connection;
    if (present !== null && (await present).isOpen) return present;
    if (this.connection === present) {
      const patience = abortAfter(this.settings.startTimeoutMs);
      const signal = AbortSignal.any([patience, this.closing.signal]);
      const opening = this.open(this.settings, signal, () => void this.listAgain());
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
    await connection?.then((open) => open.close()).catch(() => undefined); // a connection that did not open or close is gone either way
  }

  /** Logs each change once, because the same line every few seconds would fill the log. */
  private tell(level: 'log' | 'warn', what: string): void {
    if (this.logged === what) return;
    this.logged = what;
    this.logger[level](`MCP server ${this.settings.name} ${what}`);
  }
}

/** Repeats a call while no answer arrives, until the pauses are used up. Rejects with the last failure. */
async function askAgain(ask: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  for (const pauseMs of attemptPausesMs) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !(error instanceof McpFailed) || error.kind !== 'broken') throw error;
    }
    await sleep(pauseMs, null, { signal });
  }
  return ask();
}

function ignoreProgress(): void {
  // No reader is shown it.
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
