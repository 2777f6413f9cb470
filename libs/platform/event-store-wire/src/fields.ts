/**
 * The fields of the messages that this room reads and writes: each by its tag, which is its number and its wire type in one byte. A field
 * that is not here is skipped. Source: `streams.proto` and `shared.proto` of EventStoreDB 23.10; all of `event_store.client`.
 */
import { wireTypes } from './protobuf-reader';

/** A number. The number of the field is below 16. */
const number = (field: number): number => (field << 3) | wireTypes.varint;
/** A nested message, a text, bytes, or an entry of a map. The number of the field is below 16. */
const bytes = (field: number): number => (field << 3) | wireTypes.bytes;

export const uuid = { structured: bytes(1), text: bytes(2) } as const;
export const structuredUuid = { mostSignificant: number(1), leastSignificant: number(2) } as const;
export const streamIdentifier = { name: bytes(3) } as const;
export const mapEntry = { key: bytes(1), value: bytes(2) } as const;
export const timestamp = { seconds: number(1), nanos: number(2) } as const;
/** A position in the store: of a read, of an append, of a checkpoint. */
export const storePosition = { commit: number(1), prepare: number(2) } as const;

export const batchAppendReq = {
  correlationId: bytes(1),
  options: bytes(2),
  events: bytes(3),
  isFinal: number(4),
} as const;
export const batchAppendOptions = {
  stream: bytes(1),
  revision: number(2),
  noStream: bytes(3),
  any: bytes(4),
  streamExists: bytes(5),
  deadline: bytes(6),
} as const;
export const proposedMessage = { id: bytes(1), system: bytes(2), metadata: bytes(3), data: bytes(4) } as const;

export const batchAppendResp = {
  correlationId: bytes(1),
  error: bytes(2),
  success: bytes(3),
  stream: bytes(4),
} as const;
export const batchAppendSuccess = {
  revision: number(1),
  noStream: bytes(2),
  position: bytes(3),
  noPosition: bytes(4),
} as const;

export const readReq = { options: bytes(1) } as const;
export const readOptions = {
  stream: bytes(1),
  all: bytes(2),
  direction: number(3),
  resolveLinks: number(4),
  count: number(5),
  subscription: bytes(6),
  filter: bytes(7),
  noFilter: bytes(8),
  uuids: bytes(9),
} as const;
export const streamOptions = { stream: bytes(1), revision: number(2), start: bytes(3), end: bytes(4) } as const;
export const allOptions = { position: bytes(1), start: bytes(2), end: bytes(3) } as const;
export const filterOptions = {
  streamName: bytes(1),
  eventType: bytes(2),
  max: number(3),
  count: bytes(4),
  checkpointIntervalMultiplier: number(5),
} as const;
export const expression = { regex: bytes(1), prefixes: bytes(2) } as const;
export const uuidOption = { structured: bytes(1), text: bytes(2) } as const;

export const readResp = {
  event: bytes(1),
  confirmation: bytes(2),
  checkpoint: bytes(3),
  streamNotFound: bytes(4),
  caughtUp: bytes(8),
} as const;
export const readEvent = { event: bytes(1), link: bytes(2), commit: number(3) } as const;
export const recordedEvent = {
  id: bytes(1),
  stream: bytes(2),
  revision: number(3),
  prepare: number(4),
  commit: number(5),
  system: bytes(6),
  metadata: bytes(7),
  data: bytes(8),
} as const;
export const subscriptionConfirmation = { id: bytes(1) } as const;
export const streamNotFound = { stream: bytes(1) } as const;
