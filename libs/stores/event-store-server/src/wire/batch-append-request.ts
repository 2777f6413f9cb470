/** `event_store.client.streams.BatchAppendReq`, decoded by hand because most appends arrive in it. */
import type { ExpectedRevision } from '../event';
import { bytesOf, ProtobufReader, varintOf } from './protobuf-reader';
import { readStreamIdentifier, readUuidText } from './shared-messages';
import type { ProposedMessage } from './write-request';

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
    if (tag === bytesOf(1)) correlationId = reader.message(readUuidText);
    else if (tag === bytesOf(2)) options = reader.message(readOptions);
    else if (tag === bytesOf(3)) events.push(reader.message(readProposedMessage));
    else if (tag === varintOf(4)) isFinal = reader.bool();
    else reader.skip(tag);
  }
  return { correlationId, options, events, isFinal };
}

function readOptions(reader: ProtobufReader): BatchAppendOptions {
  let stream = '';
  let expected: ExpectedRevision = 'any';
  let deadlineMs = Infinity;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) stream = reader.message(readStreamIdentifier);
    else if (tag === varintOf(2)) expected = reader.varint();
    else if (tag === bytesOf(3) && reader.presence()) expected = 'no_stream';
    else if (tag === bytesOf(4) && reader.presence()) expected = 'any';
    else if (tag === bytesOf(5) && reader.presence()) expected = 'stream_exists';
    else if (tag === bytesOf(6)) deadlineMs = reader.message(readTimestampMs);
    else reader.skip(tag);
  }
  return { stream, expected, deadlineMs };
}

function readTimestampMs(reader: ProtobufReader): number {
  let seconds = 0;
  let nanos = 0;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === varintOf(1)) seconds = reader.signed();
    else if (tag === varintOf(2)) nanos = reader.signed();
    else reader.skip(tag);
  }
  return Math.trunc(seconds * 1_000 + nanos / 1_000_000);
}

const NO_BYTES = Buffer.alloc(0);

function readProposedMessage(reader: ProtobufReader): ProposedMessage {
  let id: string | undefined;
  const system: SystemMetadata = { type: undefined, contentType: undefined };
  let metadata: Uint8Array = NO_BYTES;
  let data: Uint8Array = NO_BYTES;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) id = reader.message(readUuidText);
    else if (tag === bytesOf(2)) keep(system, reader.message(readEntry));
    else if (tag === bytesOf(3)) metadata = reader.content();
    else if (tag === bytesOf(4)) data = reader.content();
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

function readEntry(reader: ProtobufReader): readonly [key: string, value: string] {
  let [key, value] = ['', ''];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) key = reader.text();
    else if (tag === bytesOf(2)) value = reader.text();
    else reader.skip(tag);
  }
  return [key, value];
}
