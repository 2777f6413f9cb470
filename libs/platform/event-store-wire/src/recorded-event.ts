/** `event_store.client.streams.ReadResp.ReadEvent.RecordedEvent`: an event as a server sends it. */
import { recordedEvent, structuredUuid, uuid } from './fields';
import type { ProtobufReader } from './protobuf-reader';
import {
  bytesField,
  fieldSize,
  varintFieldSize,
  writeBigVarint,
  writeBytes,
  writeVarintField,
} from './protobuf-writer';
import type { UuidForm } from './read-request';
import {
  mapEntrySize,
  readMapEntry,
  readStreamIdentifier,
  readUuidText,
  uuidBytes,
  uuidFieldSize,
  writeMapEntry,
  writeStreamIdentifier,
  writeUuidText,
} from './shared-messages';

/** .NET ticks are 100 ns. */
const TICKS_PER_MS = 10_000n;
const jsonType = 'application/json';
const noBytes = Buffer.alloc(0);

/** An event with its position in the store. Positions start at 1 without gaps; revisions of a stream start at 0. */
export interface RecordedEvent {
  /** Lower-case canonical UUID. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly createdMs: number;
}

/** Number of bytes of an event whose UUID is sent as text. */
export function recordedSize(event: RecordedEvent): number {
  return (
    uuidFieldSize(event.id) +
    fieldSize(fieldSize(Buffer.byteLength(event.stream))) +
    (event.revision === 0 ? 0 : varintFieldSize(event.revision)) +
    2 * varintFieldSize(event.position) +
    fieldSize(mapEntrySize('type', event.type)) +
    fieldSize(mapEntrySize('content-type', contentType(event))) +
    fieldSize(mapEntrySize('created', ticks(event))) +
    (event.metadata.length === 0 ? 0 : fieldSize(event.metadata.length)) +
    (event.data.length === 0 ? 0 : fieldSize(event.data.length))
  );
}

/** Writes an event, its UUID as text, and returns the offset after it. Its data come last, behind its metadata. */
export function writeRecorded(target: Buffer, start: number, event: RecordedEvent): number {
  let at = writeUuidText(target, start, recordedEvent.id, event.id);
  at = writeStreamIdentifier(target, at, recordedEvent.stream, event.stream, Buffer.byteLength(event.stream));
  if (event.revision !== 0) at = writeVarintField(target, at, recordedEvent.revision, event.revision);
  at = writeVarintField(target, at, recordedEvent.prepare, event.position);
  at = writeVarintField(target, at, recordedEvent.commit, event.position);
  at = writeMapEntry(target, at, recordedEvent.system, 'type', event.type);
  at = writeMapEntry(target, at, recordedEvent.system, 'content-type', contentType(event));
  at = writeMapEntry(target, at, recordedEvent.system, 'created', ticks(event));
  if (event.metadata.length > 0) at = writeBytes(target, at, recordedEvent.metadata, event.metadata);
  return event.data.length > 0 ? writeBytes(target, at, recordedEvent.data, event.data) : at;
}

/** Derives the rare form from the common one: a structured UUID replaces the first field. */
export function encodeRecorded(event: RecordedEvent, form: UuidForm): Buffer {
  const bytes = Buffer.allocUnsafe(recordedSize(event));
  writeRecorded(bytes, 0, event);
  if (form === 'string') return bytes;
  return Buffer.concat([structuredId(event.id), bytes.subarray(uuidFieldSize(event.id))]);
}

function structuredId(id: string): Buffer {
  const bits = uuidBytes(id);
  const body = Buffer.alloc(2 * 11);
  body[0] = structuredUuid.mostSignificant;
  let at = writeBigVarint(body, 1, bits.readBigInt64BE(0));
  body[at] = structuredUuid.leastSignificant;
  at = writeBigVarint(body, at + 1, bits.readBigInt64BE(8));
  return bytesField(recordedEvent.id, bytesField(uuid.structured, body.subarray(0, at)));
}

function contentType(event: RecordedEvent): string {
  return event.isJson ? jsonType : 'application/octet-stream';
}

function ticks(event: RecordedEvent): string {
  return (BigInt(event.createdMs) * TICKS_PER_MS).toString();
}

/** An event as the server sent it; a field that the message leaves out is empty or 0. */
export interface ReceivedEvent {
  kind: 'event';
  stream: string;
  revision: number;
  /** Position in the whole store. */
  position: number;
  /** Canonical lower-case text of a UUID. */
  id: string;
  type: string;
  /** Whether the server marks `data` as JSON. */
  isJson: boolean;
  /** The stored bytes. Like `metadata`, a view of the message that they arrived in. */
  data: Buffer;
  metadata: Buffer;
}

export function readReceived(reader: ProtobufReader): ReceivedEvent {
  const event: ReceivedEvent = {
    kind: 'event',
    stream: '',
    revision: 0,
    position: 0,
    id: '',
    type: '',
    isJson: false,
    data: noBytes,
    metadata: noBytes,
  };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === recordedEvent.id) event.id = reader.message(readUuidText).toLowerCase();
    else if (tag === recordedEvent.stream) event.stream = reader.message(readStreamIdentifier);
    else if (tag === recordedEvent.revision) event.revision = reader.varint();
    else if (tag === recordedEvent.commit) event.position = reader.varint();
    else if (tag === recordedEvent.system) takeSystem(event, reader.message(readMapEntry));
    else if (tag === recordedEvent.metadata) event.metadata = reader.content();
    else if (tag === recordedEvent.data) event.data = reader.content();
    else reader.skip(tag);
  }
  return event;
}

/** Takes one entry of the server's own metadata of an event: its type, its content type or its creation time. */
function takeSystem(event: ReceivedEvent, [name, value]: readonly [string, string]): void {
  if (name === 'type') event.type = value;
  else if (name === 'content-type') event.isJson = value === jsonType;
}

/** An event in all that a copy of it needs: with exact numbers, and its content type as it was stored. */
export interface ExactEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit position in the whole store. */
  readonly position: bigint;
  readonly prepare: bigint;
  /** Canonical lower-case text of a UUID. */
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  /** The stored bytes. Like `metadata`, a view of the message that they arrived in. */
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export function readExactly(reader: ProtobufReader): ExactEvent {
  let [stream, id] = ['', ''];
  let [revision, position, prepare] = [0n, 0n, 0n];
  const system = new Map<string, string>();
  let data: Uint8Array = noBytes;
  let metadata: Uint8Array = noBytes;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === recordedEvent.id) id = reader.message(readUuidText).toLowerCase();
    else if (tag === recordedEvent.stream) stream = reader.message(readStreamIdentifier);
    else if (tag === recordedEvent.revision) revision = reader.unsignedExactly();
    else if (tag === recordedEvent.prepare) prepare = reader.unsignedExactly();
    else if (tag === recordedEvent.commit) position = reader.unsignedExactly();
    else if (tag === recordedEvent.system) system.set(...reader.message(readMapEntry));
    else if (tag === recordedEvent.metadata) metadata = reader.content();
    else if (tag === recordedEvent.data) data = reader.content();
    else reader.skip(tag);
  }
  const [type, contentType] = [system.get('type') ?? '', system.get('content-type') ?? ''];
  return { stream, revision, position, prepare, id, type, contentType, data, metadata };
}
