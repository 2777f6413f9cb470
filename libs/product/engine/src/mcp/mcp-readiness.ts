import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadinessChecks } from '@app/http';
import { Processes } from '@app/read-store';
import { Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';
import { McpServers } from './mcp-servers';

/** Tells which MCP servers are away: any process that cannot reach one tells the whole deployment. */
@Injectable()
export class McpReadiness implements OnModuleInit {
  constructor(
    @Inject(McpServers) private readonly mcp: McpServers,
    @Inject(Processes) private readonly processes: Processes,
    @Inject(ReadinessChecks) private readonly checks: ReadinessChecks,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const { servers } = this.mcp;
    if (servers.length === 0) return;
    for (const server of servers) {
      // As `GET /readyz` names it.
      const name = `mcp ${server.settings.name}`;
      this.processes.reports(() => (server.isAway ? [name] : []));
      this.checks.add({
        name,
        throughDatabase: true,
        check: async () => (server.isAway || (await this.processes.troubles()).includes(name) ? 'degraded' : 'ok'),
      });
    }
    const up: Gauge = new Gauge({
      name: 'parley_mcp_server_up',
      help: 'Whether this process is connected to an MCP server and offers its tools (1), or the server is away (0)',
      labelNames: ['server'],
      registers: [this.metrics.registry],
      collect: () => {
        for (const { settings, isAway } of servers) up.set({ server: settings.name }, isAway ? 0 : 1);
      },
    });
  }
}
