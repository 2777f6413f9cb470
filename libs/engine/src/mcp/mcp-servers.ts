import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Configuration } from '@app/runtime';
import type { Tool } from '../tool';
import { McpServer } from './mcp-server';

const lookEveryMs = 5000;
/** Of all servers: with the product's own, as many as a profile may name. */
const toolsMax = 48;

/** The tools of the deployment's MCP servers: listed at the start, within a time, and looked after from then on. */
@Injectable()
export class McpServers implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(McpServers.name);
  private readonly taken = new Set<string>();
  private readonly servers: readonly McpServer[];
  private looking: Promise<void> | null = null;
  private tooMany = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor({ env }: Configuration) {
    this.servers = env.MCP_SERVERS.map((settings) => new McpServer(settings, this.taken, this.logger));
  }

  /** Of the servers that are there, in the order of the configuration. */
  get tools(): readonly Tool[] {
    return this.servers.flatMap(({ tools }) => tools).slice(0, toolsMax);
  }

  /** Names that are the product's own: no server's tool takes them. */
  reserve(names: Iterable<string>): void {
    for (const name of names) this.taken.add(name);
  }

  async onModuleInit(): Promise<void> {
    if (this.servers.length === 0) return;
    await this.look();
    this.timer = setInterval(() => void this.look(), lookEveryMs);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.servers.map((server) => server.close()));
    await this.looking;
  }

  /** Lists every server once more. A call during a call joins it. */
  look(): Promise<void> {
    this.looking ??= Promise.all(this.servers.map((server) => server.refresh()))
      .then(() => this.countTools())
      .finally(() => {
        this.looking = null;
      });
    return this.looking;
  }

  private countTools(): void {
    const count = this.servers.reduce((sum, { tools }) => sum + tools.length, 0);
    const tooMany = Math.max(0, count - toolsMax);
    if (tooMany > this.tooMany) this.logger.warn(`the last ${tooMany} of ${count} tools of MCP servers are left out`);
    this.tooMany = tooMany;
  }
}
