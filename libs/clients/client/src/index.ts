export { ParleyClient, type ParleyClientOptions } from './client.js';
export type { Api } from './api.js';
export type { Call } from './call.js';
export type { Bytes, CallOptions, FollowInput } from './calls.js';
export { isErased, wordsOr, type Erased } from './erased.js';
export type { FeedFrame, FeedInput } from './feed.js';
export {
  activityKinds,
  type ActivityKind,
  approvalKinds,
  type ApprovalKind,
  approvalStatuses,
  type ApprovalStatus,
  automationStates,
  type AutomationState,
  conversationStatuses,
  type ConversationStatus,
  eventTypes,
  type EventType,
  feedEventTypes,
  type FeedEventType,
  financialActionStatuses,
  type FinancialActionStatus,
  financialFailureReasons,
  type FinancialFailureReason,
  financialOperationStatuses,
  type FinancialOperationStatus,
  monitoringStates,
  type MonitoringState,
  occurrenceDeliveries,
  type OccurrenceDelivery,
  occurrenceTriggers,
  type OccurrenceTrigger,
  reasons,
  type Reason,
  runFailureReasons,
  type RunFailureReason,
  runStatuses,
  type RunStatus,
  toolOutcomes,
  type ToolOutcome,
  walletAuthStatuses,
  type WalletAuthStatus,
  walletStatuses,
  type WalletStatus,
  withdrawalChanges,
  type WithdrawalChange,
} from './generated/enums.js';
export type { Inputs, Resources } from './generated/resources.js';
export type { List } from './list.js';
export type { Fetch } from './attempt.js';
export type { UserToken } from './credentials.js';
export {
  isProblem,
  isReason,
  isUnreachable,
  ParleyProblem,
  ParleyUnreachable,
  type Issue,
  type Problem,
  type Unreached,
} from './problems.js';
export type { RetryOptions } from './retries.js';
export type { StreamOptions } from './journal.js';
export type { FollowOptions } from './stream.js';
export type {
  CallAnswer,
  DurableFrame,
  ItemOf,
  JournalFrame,
  ListPath,
  LiveFrame,
  ToolProgress,
  PageOf,
  PathOf,
  ReadAs,
  Schemas,
} from './types.js';
export {
  signWebhook,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookToSign,
  type WebhookToVerify,
} from './webhooks.js';
