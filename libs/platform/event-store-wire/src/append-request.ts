/** `event_store.client.streams.BatchAppendReq`: an append, or a part of one. Most appends arrive in it. */
import { batchAppendOptions, batchAppendReq, proposedMessage, timestamp } from './fields';
import { ProtobufReader } from './protobuf-reader';
import {
  fieldSize,
  message,
  presence,
  varintField,
  varintFieldSize,
  writeBytes,
  writeLength,
  writeVarintField,
} from './protobuf-writer';
import {
  mapEntrySize,
  readMapEntry,
  readStreamIdentifier,
  readUuidText,
  streamIdentifierField,
  uuidFieldSize,
  writeMapEntry,
  writeUuidText,
} from './shared-messages';

/** An event to be appended: its data and metadata are JSON values, or bytes that are sent as they are. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: unknown;
  readonly metadata?: unknown;
}

/** A message is sent once it holds this much. Servers accept messages of up to 4 MiB, and appends of up to 1 MiB. */
const partBytesMax = 1024 * 1024;

/** Encodes one append as the messages of a BatchAppend call: the first carries the options, the last marks the append as complete. */
export function appendRequests(
  correlationId: string,
  stream: string,
  events: readonly ProposedEvent[],
  expectedRevision: number,
  deadlineEpochMs: number,
): Buffer[] {
  const parts = partsOf(events.map(toMessage));
  return parts.map((part, index) => {
    const options = index === 0 ? encodeOptions(stream, expectedRevision, deadlineEpochMs) : noBytes;
    return encodePart(correlationId, options, part, index === parts.length - 1);
  });
}

/** An event as bytes. */
interface Message extends Pick<ProposedEvent, 'id' | 'type' | 'contentType'> {
  readonly metadata: Uint8Array;
  readonly data: Uint8Array;
}

const noBytes = Buffer.alloc(0);

function toMessage({ id, type, contentType, data, metadata }: ProposedEvent): Message {
  return { id, type, contentType, metadata: metadata === undefined ? noBytes : bytesOf(metadata), data: bytesOf(data) };
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
}

/** Returns at least one part, even without events, because the first carries the options. */
function partsOf(messages: readonly Message[]): Message[][] {
  const parts: Message[][] = [];
  let part: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.data.length + message.metadata.length;
    if (bytes > 0 && bytes + size > partBytesMax) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(message);
    bytes += size;
  }
  return [...parts, part];
}

function encodePart(correlationId: string, options: Buffer, messages: readonly Message[], isFinal: boolean): Buffer {
  const sizes = messages.map(messageSize);
  let bytes = uuidFieldSize(correlationId) + options.length + varintFieldSize(1);
  for (const size of sizes) bytes += fieldSize(size);
  const target = Buffer.allocUnsafe(bytes);
  let at = writeUuidText(target, 0, batchAppendReq.correlationId, correlationId);
  target.set(options, at);
  at += options.length;
  messages.forEach((message, index) => {
    at = writeLength(target, at, batchAppendReq.events, sizes[index] ?? 0);
    at = writeMessage(target, at, message);
  });
  writeVarintField(target, at, batchAppendReq.isFinal, isFinal ? 1 : 0);
  return target;
}

function messageSize({ id, type, contentType, metadata, data }: Message): number {
  return (
    uuidFieldSize(id) +
    fieldSize(mapEntrySize('type', type)) +
    fieldSize(mapEntrySize('content-type', contentType)) +
    fieldSize(metadata.length) +
    fieldSize(data.length)
  );
}

function writeMessage(target: Buffer, start: number, { id, type, contentType, metadata, data }: Message): number {
  let at = writeUuidText(target, start, proposedMessage.id, id);
  at = writeMapEntry(target, at, proposedMessage.system, 'type', type);
  at = writeMapEntry(target, at, proposedMessage.system, 'content-type', contentType);
  at = writeBytes(target, at, proposedMessage.metadata, metadata);
  return writeBytes(target, at, proposedMessage.data, data);
}

/** @param expectedRevision negative for a stream that must not exist */
function encodeOptions(stream: string, expectedRevision: number, deadlineEpochMs: number): Buffer {
  const seconds = Math.floor(deadlineEpochMs / 1_000);
  const nanos = Math.floor((deadlineEpochMs % 1_000) * 1_000_000);
  const deadline = [varintField(timestamp.seconds, seconds), varintField(timestamp.nanos, nanos)];
  return message(batchAppendReq.options, [
    streamIdentifierField(batchAppendOptions.stream, stream),
    expectedRevision < 0
      ? presence(batchAppendOptions.noStream)
      : varintField(batchAppendOptions.revision, expectedRevision),
    message(batchAppendOptions.deadline, deadline),
  ]);
}

export type ExpectedRevision = number | 'any' | 'no_stream' | 'stream_exists';

/** An event as it was sent, in either kind of append. */
export interface ProposedMessage {
  /** Text of a UUID, sent in either form. */
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly contentType: string | undefined;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** One part of an append, as it was sent: its names and ids are not validated. */
export interface BatchAppendPart {
  /** Text of a UUID, sent in either form. */
  readonly correlationId: string | undefined;
  readonly options: BatchAppendOptions | undefined;
  readonly events: readonly ProposedMessage[];
  readonly isFinal: boolean;
}

export interface BatchAppendOptions {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** Milliseconds since the epoch; `Infinity` when there is none. */
  readonly deadlineMs: number;
}

/** `data` and `metadata` of the events are views of the bytes. Throws for bytes that are not such a message. */
export function decodeBatchAppendPart(bytes: Buffer): BatchAppendPart {
  const reader = new ProtobufReader(bytes);
  let correlationId: string | undefined;
  let options: BatchAppendOptions | undefined;
  const events: ProposedMessage[] = [];
  let isFinal = false;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === batchAppendReq.correlationId) correlationId = reader.message(readUuidText);
    else if (tag === batchAppendReq.options) options = reader.message(readOptions);
    else if (tag === batchAppendReq.events) events.push(reader.message(readProposedMessage));
    else if (tag === batchAppendReq.isFinal) isFinal = reader.bool();
    else reader.skip(tag);
  }
  return { correlationId, options, events, isFinal };
}

function readOptions(reader: ProtobufReader): BatchAppendOptions {
  let stream = '';
  let expected: ExpectedRevision = 'any';
  let deadlineMs = Infinity;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === batchAppendOptions.stream) stream = reader.message(readStreamIdentifier);
    else if (tag === batchAppendOptions.revision) expected = reader.varint();
    else if (tag === batchAppendOptions.noStream && reader.presence()) expected = 'no_stream';
    else if (tag === batchAppendOptions.any && reader.presence()) expected = 'any';
    else if (tag === batchAppendOptions.streamExists && reader.presence()) expected = 'stream_exists';
    else if (tag === batchAppendOptions.deadline) deadlineMs = reader.message(readTimestampMs);
    else reader.skip(tag);
  }
  return { stream, expected, deadlineMs };
}

function readTimestampMs(reader: ProtobufReader): number {
  let seconds = 0;
  let nanos = 0;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === timestamp.seconds) seconds = reader.signed();
    else if (tag === timestamp.nanos) nanos = reader.signed();
    else reader.skip(tag);
  }
  return Math.trunc(seconds * 1_000 + nanos / 1_000_000);
}

function readProposedMessage(reader: ProtobufReader): ProposedMessage {
  let id: string | undefined;
  const system: SystemMetadata = { type: undefined, contentType: undefined };
  let metadata: Uint8Array = noBytes;
  let data: Uint8Array = noBytes;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === proposedMessage.id) id = reader.message(readUuidText);
    else if (tag === proposedMessage.system) keep(system, reader.message(readMapEntry));
    else if (tag === proposedMessage.metadata) metadata = reader.content();
    else if (tag === proposedMessage.data) data = reader.content();
    else reader.skip(tag);
  }
  return { id, ...system, metadata, data };
}

interface SystemMetadata {
  type: string | undefined;
  contentType: string | undefined;
}

function keep(system: SystemMetadata, [key, value]: readonly [string, string]): void {
  if (key === 'type') system.type = value;
  else if (key === 'content-type') system.contentType = value;
}
