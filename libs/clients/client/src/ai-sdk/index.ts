export { erasedText, isErased, wordsOr, type Erased } from '../erased.js';
export { ParleyChatTransport, type ParleyChatTransportOptions } from './transport.js';
export { ChatRefused } from './door.js';
export { handleChat, chatProblem, type ChatHandlerOptions, type ChatProblem } from './handle-chat.js';
export {
  toUIMessageStream,
  toUIMessageStreamResponse,
  UnknownCursor,
  type ApprovalAnswer,
  type ChatRequest,
  type UIMessageStreamOptions,
} from './chat-stream.js';
export { toUIMessages } from './conversation.js';
export { readHistory, watchMessages, type ChatHistory } from './history.js';
export { reduce } from './reduce.js';
export { initialRun, type FrameContext, type ReadApproval, type RunState, type Told } from './run-state.js';
export {
  answerIdOf,
  answerMetadataOf,
  approvalDescriptorOf,
  isWithdrawn,
  type ApprovalDescriptor,
  type AskedMetadata,
  type ChatData,
  type ChatMetadata,
  type ParleyUIChunk,
  type ParleyUIMessage,
  type SettlementData,
} from './message.js';
export type { ChatScope } from './open-journal.js';
export type { TellingEnd } from './telling.js';
