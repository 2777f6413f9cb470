import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadinessChecks } from '@app/http';
import { Processes } from '@app/read-store';
import { Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';
import { McpServers } from './mcp-servers';

/** Reports which MCP servers are away; one process that cannot reach a server makes the whole deployment report it. */
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
      // The name in `GET /readyz`.
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
