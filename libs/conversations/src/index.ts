export {
  conversationDecider,
  isKnownRun,
  isWritable,
  type ConversationCommand,
  type ConversationState,
} from './conversation.decider';
export type {
  ConversationEvent,
  Origin,
  RunEndStatus,
  RunEvent,
  RunFailure,
  RunFailureReason,
  RunOrigin,
  RunProfile,
  RunRequest,
  TextDelta,
  ToolOutcome,
  Usage,
} from './conversation.events';
export { conversationKind } from './conversation.stream';
export { ConversationsModule, conversationsReadModel } from './conversations.module';
export { abortedEnd, type RecordStep, type RunCommand, type RunEnd, type RunState } from './run.decider';
