export { isKnownRun, isWritable, type ConversationState } from './conversation.decider';
export type {
  ConversationEvent,
  RunFailure,
  RunFailureReason,
  RunOrigin,
  RunProfile,
  RunRequest,
  TextDelta,
  ToolOutcome,
} from './conversation.events';
export { conversationKind } from './conversation.stream';
export { ConversationsModule, conversationsReadModel } from './conversations.module';
export { abortedEnd, type RunCommand, type RunEnd, type RunState } from './run.decider';
