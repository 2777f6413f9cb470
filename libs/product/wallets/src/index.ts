export { AgentWallets, type AgentWallet } from './agent-wallets';
export { AuthorityUses, type AuthorityLedger, type HeldUse, type Hold } from './authority-uses';
export { isWithinAgreedWorth, movedUsd, movedUsdWith } from './moved-worth';
export { agentOperationId } from './agent-operation-id';
export { AgentTransfers } from './agent-transfers';
export { DisableWallet } from './disable-wallet';
export { EnableWallet } from './enable-wallet';
export { driveOperation } from './drive-operation';
export type { OperationPorts } from './operation-ports';
export { AutomationContractShape, ContractShape } from './contract.schema';
export { measured } from './measured-provider';
export { OperationDriver } from './operation-driver';
export type {
  OperationEvent,
  OperationFailure,
  OperationTerms,
  Revocation,
  Submission,
  Delivered,
  TokenAmount,
} from './operation.events';
export { isPatient, nextLook } from './operation-pace';
export type { OperationState } from './operation.state';
export { operationKind } from './operation.stream';
export { matchesContract } from './operation-order';
export { mayFollow } from './operation-sequence';
export { operationView } from './operation.view';
export { FinancialOperation, TokenAmountShape, type OperationView } from './operation.schema';
export { SettlementModule } from './settlement.module';
export { GetWallet } from './get-wallet';
export { Wallet } from './wallet.schema';
export { walletView } from './wallet.view';
export { Signer } from './signer';
export {
  SessionRejected,
  WalletProvider,
  type Holding,
  type Order,
  type Planned,
  type Revocations,
  type Settlement,
  type Submitted,
  type Token,
  type WalletAccount,
} from './wallet-provider';
export { Wallets } from './wallets';
export { WalletKeysModule, WalletsModule, walletsReadModel } from './wallets.module';
export { WithdrawalApprovals } from './withdrawal-approvals';
export { reviewExample, withdrawalExamples } from './withdrawal.example';
export { walletsGroup } from './wallets.contract';
export { financialOperationsGroup } from './financial-operations.contract';
export { walletKind } from './wallet.stream';
export type { WalletEvent } from './wallet.events';
