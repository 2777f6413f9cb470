import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { words as say, type JsonObject, type Words } from '@app/kernel';
import { abortAfter, type McpServerSettings, unlessAborted } from '@app/runtime';
import { failWith, type CallContext, type Tool, type ToolResult } from '../tool';
import { callIdsOf } from './call-context';
import { callResult, reportError } from './call-result';
import { McpFailed, type CallOptions, type McpConnection } from './connection';
import type { ContextKeys } from './context-keys';
import { offeredTools, toolSettingsOf } from './listed-tools';

/** How long listing may take once the server has started. */
const answersWithinMs = 5000;
/** A server that says without end that its tools changed is listed so often at most. */
const changesEveryMs = 1000;
/** How often one is asked for its tools that a call waits for. */
const askAwayEveryMs = 1000;
const waitsEveryMs = 100;
const leftOutToldMax = 10;
/** Before each further attempt of a call of which the server does nothing twice; all of them within the time of the call. */
const attemptPausesMs = [250, 500, 1000, 2000, 4000, 8000];

/** What a call came to that no answer says; why is for the log. A model that took "no answer" for "not done" would do it again under another key. */
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

/** One server: its connection, which is made again whenever it broke, and its tools as it listed them last. */
export class McpServer {
  /** Empty while the server is away. */
  tools: readonly Tool[] = [];
  /** Until it has told its tools, and from when it could not be asked for them. */
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
   * Lists the tools once more; a server that cannot be reached or understood has none until it can. One that is at work may be slow to
   * answer, and keeps its tools until it is not: what it does would be cut off. A call during a call joins it. Never rejects.
   */
  refresh(): Promise<void> {
    this.listing ??= this.list().finally(() => {
      this.listing = null;
      this.listedAt = performance.now();
    });
    return this.listing;
  }

  /**
   * Asks whether it is there now, and where it is not, waits until it is: as long as a start may take. It is not asked more often because
   * several wait. Rejects when the signal aborts.
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

  /** Says that this server has not come up so far, where that is so. */
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

  /** Lists once more for all changes that are told until then, after a pause; the tools of before hold meanwhile. Never rejects. */
  private async listAgain(): Promise<void> {
    if (this.isChangePending) return;
    this.isChangePending = true;
    await this.listing;
    const pauseMs = Math.max(0, this.listedAt + changesEveryMs - performance.now());
    await sleep(pauseMs, null, { signal: this.closing.signal }).catch(() => null); // closing ends the pause
    while (this.listing !== null) await this.listing; // one that began meanwhile may have been answered before the last change
    this.isChangePending = false;
    if (!this.closing.signal.aborted) await this.refresh();
  }

  /** One call. A failure is its outcome; never rejects. */
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

  /** Asks twice only where the server did not begin: it was started again and has forgotten the session. */
  private async ask(tool: string, input: JsonObject, context: CallContext, signal: AbortSignal): Promise<unknown> {
    const connection = await unlessAborted(this.connect(), signal);
    const opened = this.connection;
    try {
      return await connection.callTool(tool, input, await this.optionsOf(context, signal));
    } catch (error) {
      if (!(error instanceof McpFailed) || error.kind !== 'unbegun') throw error;
      if (this.connection === opened) this.connection = null;
      connection.leave(); // other calls may be under way on it
      const other = await unlessAborted(this.connect(), signal);
      return other.callTool(tool, input, await this.optionsOf(context, signal));
    }
  }

  /** Made for each attempt: what is signed lives for a minute. */
  private async optionsOf(context: CallContext, signal: AbortSignal): Promise<CallOptions> {
    const { name, transport } = this.settings;
    const meta = callIdsOf(context);
    const headers = transport.type === 'http' ? { 'Parley-Context': await this.keys.sign(name, meta) } : {};
    return { signal, meta, headers };
  }

  /** The open connection, or a new one; those who ask at once share it. */
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
    await connection?.then((open) => open.close()).catch(() => undefined); // what did not open or close is gone either way
  }

  /** Once for each change: a look every few seconds would fill the log. */
  private tell(level: 'log' | 'warn', what: string): void {
    if (this.logged === what) return;
    this.logged = what;
    this.logger[level](`MCP server ${this.settings.name} ${what}`);
  }
}

/** Asks again where no answer came, as long as the pauses last. Rejects with the last failure. */
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

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
