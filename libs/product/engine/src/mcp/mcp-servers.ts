import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Configuration } from '@app/settings';
import type { Tool } from '../tool';
import type { connectMcp } from './client.adapter';
import { ContextKeys } from './context-keys';
import { settingsOf } from './listed-tools';
import { McpServer, type Connect } from './mcp-server';

const lookEveryMs = 5000;
/** How long a start waits for the servers; the tools of a later one are offered once it is there. */
const startWaitsMs = 5000;
/** For all servers together: with the product's own tools, as many as a profile may name. */
const toolsMax = 48;

/** The tools of the deployment's MCP servers: listed at the start, within a time limit, and polled from then on. */
@Injectable()
export class McpServers implements OnModuleInit, OnModuleDestroy {
  readonly servers: readonly McpServer[];
  private readonly logger = new Logger(McpServers.name);
  private readonly taken = new Set<string>();
  private tooMany = 0;
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor({ env }: Configuration, keys: ContextKeys) {
    const connect = env.MCP_SERVERS.length === 0 ? null : loadConnect();
    this.servers = env.MCP_SERVERS.flatMap((settings) =>
      connect === null ? [] : new McpServer(settings, this.taken, connect, keys, this.logger),
    );
  }

  /** The tools of available servers, in the order of the configuration. */
  get tools(): readonly Tool[] {
    return this.servers.flatMap(({ tools }) => tools).slice(0, toolsMax);
  }

  /**
   * Finds the tool of a call that was cut off. Unless a repeated call is known to repeat its effect, checks whether the server is there and
   * waits for it, at most as long as its start may take; undefined if it is not there then. Rejects when the signal aborts.
   */
  async findAgain(name: string, signal: AbortSignal): Promise<Tool | undefined> {
    const find = () => this.tools.find((tool) => tool.name === name);
    const server = this.servers.find(({ settings }) => name.startsWith(`${settings.name}_`));
    if (server === undefined || find()?.effect === 'once') return find();
    const { consent, idempotent } = settingsOf(server.settings, name, this.taken);
    if (consent !== 'off' && idempotent !== false) await server.untilThere(signal);
    return find();
  }

  /** The names of all tools that runs may call now: those reserved by the product, and those of available servers. */
  get toolNames(): readonly string[] {
    return [...this.taken, ...this.tools.map(({ name }) => name)];
  }

  /** Reserves the product's own names: no server's tool takes them. */
  reserve(names: Iterable<string>): void {
    for (const name of names) this.taken.add(name);
  }

  async onModuleInit(): Promise<void> {
    if (this.servers.length === 0) return;
    const waiting = new AbortController();
    const waited = new Promise((resolve) => {
      const timer = setTimeout(resolve, startWaitsMs);
      waiting.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    await Promise.race([this.look(), waited]);
    waiting.abort();
    for (const server of this.servers) server.tellAbsence();
    if (this.isOver) return;
    this.timer = setInterval(() => void this.look(), lookEveryMs);
  }

  async onModuleDestroy(): Promise<void> {
    this.isOver = true;
    clearInterval(this.timer);
    await Promise.all(this.servers.map((server) => server.close()));
  }

  /** Lists every server again, in parallel, so that a slow one delays no other. */
  async look(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.refresh().then(() => this.countTools())));
  }

  private countTools(): void {
    const count = this.servers.reduce((sum, { tools }) => sum + tools.length, 0);
    const tooMany = Math.max(0, count - toolsMax);
    if (tooMany > this.tooMany) this.logger.warn(`the last ${tooMany} of ${count} tools of MCP servers are left out`);
    this.tooMany = tooMany;
  }
}

function loadConnect(): Connect {
  // Reason for the assertion: `require` knows no types.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load the SDK at every start, server or not
  return (require('./client.adapter') as { readonly connectMcp: typeof connectMcp }).connectMcp;
}
