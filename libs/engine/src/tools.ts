import { Injectable } from '@nestjs/common';
import { ArtifactReader } from '@app/artifacts';
import { DeploymentControls } from '@app/deployment';
import { Clock } from '@app/kernel';
import { AgentTransfers, AgentWallets, WalletProvider, Wallets } from '@app/wallets';
import type { Tool } from './tool';
import { artifactRead } from './tools/artifact-read';
import { currentTime } from './tools/current-time';
import { intentsTransfer } from './tools/intents-transfer';
import { tokenPrice } from './tools/token-price';
import { walletBalances } from './tools/wallet-balances';

/** Every tool that the deployment offers, by the name that the model sees. */
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
  ) {
    const tools: readonly Tool[] = [
      walletBalances(agentWallets, wallets, clock),
      tokenPrice(provider, clock),
      intentsTransfer({ agentWallets, transfers, provider, controls }),
      artifactRead(artifacts),
      currentTime(clock),
    ];
    this.registry = new Map(tools.map((tool) => [tool.name, tool]));
  }

  get names(): readonly string[] {
    return [...this.registry.keys()];
  }

  find(name: string): Tool | undefined {
    return this.registry.get(name);
  }
}
