export { isKnownRun, isWritable, waitingApproval, type ConversationState } from './conversation.state';
export {
  conversationEvents,
  type ArtifactFacts,
  type ConversationEvent,
  type OperationCopy,
} from './conversation.events';
export { textDelta, type RunOrigin, type TextDelta, type ToolOutcome } from './run.events';
export { conversationIdParameter, type ConversationPage } from './conversation.schema';
export type { ConversationCommand, TriggerRun } from './conversation.decider';
export { conversationKind } from './conversation.stream';
export { ConversationsModule, conversationsReadModel } from './conversations.module';
export { ListConversations } from './list-conversations';
export { abortedEnd, type OpenApproval, type RunCommand, type RunEnd, type ToolReturn } from './run.decider';
export {
  profileOf,
  Resolved,
  RunFailure,
  RunRequest,
  RunResponse,
  Usage,
  type ResolvedRun,
  type RunFailureReason,
  type RunProfile,
} from './run.schema';
export type { RunState } from './run.state';
export { conversationsGroup } from './conversations.contract';
