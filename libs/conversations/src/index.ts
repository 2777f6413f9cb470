export { isKnownRun, isWritable, waitingApproval, type ConversationState } from './conversation.state';
export type {
  ArtifactFacts,
  ConversationEvent,
  OperationCopy,
  RunFailure,
  RunFailureReason,
  RunOrigin,
  RunProfile,
  RunRequest,
  TextDelta,
  ToolOutcome,
} from './conversation.events';
export type { ConversationCommand, TriggerRun } from './conversation.decider';
export { conversationKind } from './conversation.stream';
export { ConversationsModule, conversationsReadModel } from './conversations.module';
export { ListConversations, type ConversationPage } from './list-conversations';
export { abortedEnd, type OpenApproval, type RunCommand, type RunEnd } from './run.decider';
export type { RunState } from './run.state';
