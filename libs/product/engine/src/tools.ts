import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ArtifactReader } from '@app/artifacts';
import { Automations } from '@app/automations';
import { DeploymentControls } from '@app/deployment';
import { Clock } from '@app/kernel';
import { EngineCatalog } from '@app/runs';
import { AgentTransfers, AgentWallets, WalletProvider, Wallets } from '@app/wallets';
import { McpServers } from './mcp/mcp-servers';
import type { Tool } from './tool';
import { automationTools } from './tools/automation-tools';
import { artifactRead } from './tools/artifact-read';
import { currentTime } from './tools/current-time';
import { intentsTransfer } from './tools/intents-transfer';
import { tokenPrice } from './tools/token-price';
import { walletBalances } from './tools/wallet-balances';

/** Every tool that the deployment offers now, by the name that the model sees: its own, and those of the MCP servers that are there. */
@Injectable()
export class Tools {
  private readonly registry: ReadonlyMap<string, Tool>;

  constructor(
    clock: Clock,
    wallets: Wallets,
    agentWallets: AgentWallets,
    transfers: AgentTransfers,
    provider: WalletProvider,
    controls: DeploymentControls,
    artifacts: ArtifactReader,
    automations: Automations,
    modules: ModuleRef,
    private readonly mcpServers: McpServers,
  ) {
    const tools: readonly Tool[] = [
      walletBalances(agentWallets, wallets, clock),
      tokenPrice({ provider, wallets, clock }),
      intentsTransfer({ agentWallets, transfers, provider, controls }),
      ...automationTools({ automations, provider, clock, offer: () => modules.get(EngineCatalog, { strict: false }) }),
      artifactRead(artifacts),
      currentTime(clock),
    ];
    this.registry = new Map(tools.map((tool) => [tool.name, tool]));
    mcpServers.reserve(this.registry.keys());
  }

  get names(): readonly string[] {
    return [...this.registry.keys(), ...this.mcpServers.tools.map(({ name }) => name)];
  }

  find(name: string): Tool | undefined {
    return this.registry.get(name) ?? this.mcpServers.tools.find((tool) => tool.name === name);
  }
}
