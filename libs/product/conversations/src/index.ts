export {
  isBusy,
  isHeldAgainst,
  isKnownRun,
  isQueued,
  isWritable,
  nextQueued,
  waitingApproval,
} from './conversation.state';
export type { ConversationState, QueuedInput } from './conversation.state';
export {
  conversationEvents,
  openArtifact,
  type OpenArtifact,
  type ConversationEvent,
  type OperationCopy,
  type SealedContent,
} from './conversation.events';
export { notReplaceable, type ReplacedMessage } from './line';
export { reasoningDelta, textDelta, type LiveDelta } from './run/live-deltas';
export { progressBounds, toolProgress, type LivePayload } from './run/tool-progress';
export type { RunOrigin, ToolOutcome } from './run/run.events';
export { conversationIdParameter, type ConversationPage } from './conversation.schema';
export type { ConversationCommand, TriggerRun } from './conversation.decider';
export { conversationKind } from './conversation.stream';
export { ConversationsModule } from './conversations.module';
export { ArchiveConversation } from './change-conversation';
export { ListConversations } from './conversation.queries';
export type { OpenApproval, RunCommand } from './run/run.decider';
export { centsFromMicroCents, microCentsPerCent } from './run/run-costs';
export { abortedEnd, type RunEnd, type ToolReturn } from './run/run-facts';
export {
  Effort,
  erasedRequest,
  profileOf,
  Resolved,
  RunFailure,
  RunRequest,
  type RunRequestInput,
  RunResponse,
  temperatureBounds,
  untuned,
  Usage,
  type ResolvedRun,
  type RunFailureReason,
  type RunProfile,
} from './run/run.schema';
export type { RunState } from './run/run.state';
export { conversationsGroup, messagesGroup } from './conversations.contract';
export { conversationsReadModel } from './conversations.projection';
