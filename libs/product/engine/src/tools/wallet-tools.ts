import { Injectable } from '@nestjs/common';
import { DeploymentControls } from '@app/deployment';
import { Clock } from '@app/kernel';
import { AgentTransfers, AgentWallets, WalletProvider, Wallets } from '@app/wallets';
import type { Tool } from '../tool';
import { intentsTransfer } from './intents-transfer.tool';
import { tokenPrice } from './token-price.tool';
import { walletBalances } from './wallet-balances.tool';

/** The agent's tools for the user's wallet. */
@Injectable()
export class WalletTools {
  readonly tools: readonly Tool[];

  constructor(
    clock: Clock,
    wallets: Wallets,
    agentWallets: AgentWallets,
    transfers: AgentTransfers,
    provider: WalletProvider,
    controls: DeploymentControls,
  ) {
    this.tools = [
      walletBalances(agentWallets, wallets, clock),
      tokenPrice({ provider, wallets, clock }),
      intentsTransfer({ agentWallets, transfers, provider, controls }),
    ];
  }
}
