export { ParleyClient, type ParleyClientOptions } from './client.js';
export type { Api } from './api.js';
export { eventTypes, reasons, runStatuses, automationStates } from './generated/enums.js';
export type { AutomationState, EventType, Reason, RunStatus } from './generated/enums.js';
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
export type { StreamOptions } from './stream.js';
export type { DurableFrame, ItemOf, JournalFrame, ListPath, LiveFrame, PathOf, ReadAs, Schemas } from './types.js';
export {
  signWebhook,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookToSign,
  type WebhookToVerify,
} from './webhooks.js';
