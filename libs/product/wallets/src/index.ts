export { AgentWallets, type AgentWallet } from './wallet/agent-wallets';
export { AuthorityUses, type AuthorityLedger, type HeldUse, type Hold } from './settlement/authority-uses';
export { isWithinAgreedWorth, movedUsd, movedUsdWith } from './operation/submission/moved-worth';
export { agentOperationId } from './operation/agent-operation-id';
export { AgentTransfers } from './operation/agent-transfers';
export { DisableWallet, EnableWallet } from './wallet/change-wallet';
export { EndUnsubmitted } from './operation/end-unsubmitted';
export { driveOperation } from './settlement/drive-operation';
export type { OperationPorts } from './settlement/operation-ports';
export { AutomationContractShape, ContractShape } from './contract/contract.schema';
export { measured } from './provider/measured-provider';
export { OperationDriver } from './settlement/operation-driver';
export type { OperationEvent, OperationTerms } from './operation/operation.events';
export type { OperationFailure, Revocation, Submission, Delivered, TokenAmount } from './provider/submission';
export { isPatient, nextLook } from './settlement/operation-pace';
export type { OperationState } from './operation/operation.state';
export { operationKind } from './operation/operation.stream';
export { matchesContract } from './operation/submission/operation-order';
export { mayFollow } from './operation/operation-sequence';
export { operationView } from './operation/operation.view';
export { FinancialOperation, TokenAmountShape, type OperationView } from './operation/operation.schema';
export { GetFinancialOperation } from './operation/show-operations';
export { GetWallet } from './wallet/get-wallet';
export { Wallet, walletView } from './wallet/wallet.schema';
export { walletKeysTable } from './wallet/sealed-keys';
export { Signer } from './wallet/signer';
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
} from './provider/wallet-provider';
export { Wallets } from './wallet/wallets';
export { SettlementModule, WalletKeysModule, WalletsModule, walletsReadModel } from './wallets.module';
export { WithdrawalApprovals } from './withdrawal/withdrawal-approvals';
export { reviewExample, withdrawalExamples } from './withdrawal/withdrawal.example';
export { walletsGroup } from './wallets.contract';
export { financialOperationsGroup } from './financial-operations.contract';
export { walletKind } from './wallet/wallet.stream';
export type { WalletEvent } from './wallet/wallet.events';
