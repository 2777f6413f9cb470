import { Global, Module } from '@nestjs/common';
import { DeploymentModule } from '@app/deployment';
import { QuotasModule } from '@app/quotas';
import { AgentTransfers } from './operation/agent-transfers';
import { AgentWallets } from './wallet/agent-wallets';
import { AuthorityUses } from './settlement/authority-uses';
import { EndUnsubmittedHandler } from './operation/end-unsubmitted';
import { DisableWalletHandler, EnableWalletHandler } from './wallet/change-wallet';
import { FinancialOperationsController, financialOperationsHandlers } from './financial-operations.controller';
import { OpenWithdrawal } from './withdrawal/open-withdrawal';
import { OperationRow, operationsMigrations, operationsProjection } from './operation/operations.projection';
import { OperationStart } from './operation/operation-start';
import { SealedKeys, walletKeysMigrations } from './wallet/sealed-keys';
import { SettlementFigures } from './settlement/settlement-figures';
import { Signer } from './wallet/signer';
import { Wallets } from './wallet/wallets';
import { WalletsController, walletsHandlers } from './wallets.controller';
import { WithdrawalApprovals } from './withdrawal/withdrawal-approvals';
import { OperationDriver } from './settlement/operation-driver';
import { OperationPortsFactory } from './settlement/operation-ports-factory';
import { OperationWatchdog } from './settlement/operation-watchdog';

/** The wallets' keys, in a module of their own because the providers that the wallets need sign with them. */
@Global()
@Module({ providers: [{ provide: Signer, useClass: SealedKeys }], exports: [Signer] })
export class WalletKeysModule {}

/** Wallets, direct withdrawals and financial operations. Needs a WalletProvider, which the composition binds globally. */
@Module({
  imports: [DeploymentModule, QuotasModule],
  controllers: [WalletsController, FinancialOperationsController],
  providers: [
    ...financialOperationsHandlers,
    ...walletsHandlers,
    AgentTransfers,
    AgentWallets,
    AuthorityUses,
    DisableWalletHandler,
    EnableWalletHandler,
    EndUnsubmittedHandler,
    OpenWithdrawal,
    OperationStart,
    SettlementFigures,
    Wallets,
    WithdrawalApprovals,
  ],
  exports: [AgentTransfers, AgentWallets, AuthorityUses, OperationStart, Wallets, WithdrawalApprovals],
})
export class WalletsModule {}

/** The slice's tables in PostgreSQL. */
export const walletsReadModel = {
  rows: [OperationRow],
  migrations: [...walletKeysMigrations, ...operationsMigrations],
  projections: [operationsProjection],
};

/** Drives financial operations to their end, in workers. */
@Module({
  imports: [WalletsModule],
  providers: [OperationDriver, OperationWatchdog, OperationPortsFactory],
  exports: [OperationDriver],
})
export class SettlementModule {}
