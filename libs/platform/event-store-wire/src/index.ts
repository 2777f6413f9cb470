export { appendAnswer, encodeBatchRefused, encodeBatchWritten, type Place } from './append-answer';
export {
  appendRequests,
  decodeBatchAppendPart,
  type BatchAppendPart,
  type ExpectedRevision,
  type ProposedEvent,
  type ProposedMessage,
} from './append-request';
export { readExpected, readStreamName, sentUuid } from './generated-messages';
export { PREFIX_BYTES, framed, messagesIn } from './grpc-frame';
export { TOMBSTONE_REVISION, TOMBSTONE_REVISION_EXACT } from './protobuf-writer';
export {
  CAUGHT_UP,
  encodeCheckpoint,
  encodeConfirmation,
  encodeResolved,
  encodeStreamNotFound,
  frameEvent,
  readAnswer,
  exactEventIn,
  type FramedEvent,
  type ReadAnswer,
} from './read-answer';
export {
  decodeReadRequest,
  readOfAll,
  readOfStream,
  subscriptionTo,
  type Direction,
  type FilterOptions,
  type ReadOptions,
  type ReadRequest,
  type ReadStart,
  type UuidForm,
} from './read-request';
export type { ExactEvent, ReceivedEvent, RecordedEvent } from './recorded-event';
export { uuidBytes } from './shared-messages';
