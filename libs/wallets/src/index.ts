export type {
  OperationEvent,
  OperationFailure,
  OperationFailureReason,
  OperationTerms,
  Submission,
  TokenAmount,
} from './operation.events';
export { Signer } from './signer';
export type { ProviderName, WalletEvent } from './wallet.events';
export {
  SessionRejected,
  WalletProvider,
  type Holding,
  type Order,
  type Planned,
  type Settlement,
  type Submitted,
  type Token,
  type WalletAccount,
} from './wallet-provider';
