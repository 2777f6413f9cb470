import { Injectable } from '@nestjs/common';
import { ArtifactReader } from '@app/artifacts';
import { Automations } from '@app/automations';
import { Clock } from '@app/kernel';
import { EngineCatalog } from '@app/runs';
import { WalletProvider } from '@app/wallets';
import { McpServers } from './mcp/mcp-servers';
import type { Tool } from './tool';
import { artifactRead } from './tools/artifact-read.tool';
import { automationTools } from './tools/automation-create.tool';
import { currentTime } from './tools/current-time.tool';
import { WalletTools } from './tools/wallet-tools';

/** Every tool that the deployment offers now, by the name that the model sees: its own, and those of the MCP servers that are there. */
@Injectable()
export class Tools {
  private readonly registry: ReadonlyMap<string, Tool>;

  constructor(
    wallets: WalletTools,
    automations: Automations,
    offer: EngineCatalog,
    provider: WalletProvider,
    artifacts: ArtifactReader,
    clock: Clock,
    private readonly mcpServers: McpServers,
  ) {
    const tools: readonly Tool[] = [
      ...wallets.tools,
      ...automationTools({ automations, provider, clock, offer }),
      artifactRead(artifacts),
      currentTime(clock),
    ];
    this.registry = new Map(tools.map((tool) => [tool.name, tool]));
    mcpServers.reserve(this.registry.keys());
  }

  find(name: string): Tool | undefined {
    return this.registry.get(name) ?? this.mcpServers.tools.find((tool) => tool.name === name);
  }
}
