export { isKnownRun, isWritable, waitingApproval, type ConversationState } from './conversation.state';
export type {
  ArtifactFacts,
  ConversationEvent,
  OperationCopy,
  PrivateMembers,
  RunFailureReason,
  RunOrigin,
  ResolvedRun,
  RunProfile,
  TextDelta,
  ToolOutcome,
} from './conversation.events';
export { profileOf } from './conversation.events';
export type { ConversationPage } from './conversation.schema';
export type { ConversationCommand, TriggerRun } from './conversation.decider';
export { conversationKind } from './conversation.stream';
export { ConversationsModule, conversationsReadModel } from './conversations.module';
export { ListConversations } from './list-conversations';
export { abortedEnd, type OpenApproval, type RunCommand, type RunEnd } from './run.decider';
export { Resolved, RunFailure, RunRequest, RunResponse, Usage } from './run.schema';
export type { RunState } from './run.state';
