/**
 * The messages of a read or subscription, encoded by hand: `event_store.client.streams.ReadResp`, whose field numbers the client's
 * generated stubs show. All of them are framed.
 */
import type { FramedEvent, StoredEvent } from '../event';
import { PREFIX_BYTES, framed, writePrefix } from './grpc-frame';
import {
  fieldSize,
  varintSize,
  writeBigVarint,
  writeBytes,
  writeLength,
  writeText,
  writeVarintField,
} from './protobuf';
import { UUID_TEXT_BYTES, uuidBytes } from './uuid';

/** .NET ticks are 100 ns. */
const TICKS_PER_MS = 10_000n;

/** The form in which a client wants UUIDs; the official Node client asks for `string`. */
export type UuidForm = 'string' | 'structured';

/** Encodes the event once; `data` and `metadata` of the result are views of the frame, so only the frame is kept in memory. */
export function frameEvent(event: StoredEvent): FramedEvent {
  const recorded = recordedSize(event);
  const inner = fieldSize(recorded) + 1 + varintSize(event.position);
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + fieldSize(inner));
  let at = writeLength(frame, writePrefix(frame, fieldSize(inner)), 1, inner);
  at = writeLength(frame, at, 1, recorded);
  at = writeRecorded(frame, at, event);
  writeVarintField(frame, at, 3, event.position);
  const data = frame.subarray(at - event.data.length, at);
  const metadataEnd = event.data.length === 0 ? at : at - fieldSize(event.data.length);
  const metadata = frame.subarray(metadataEnd - event.metadata.length, metadataEnd);
  return { ...event, data, metadata, frame };
}

/** Encodes an event reached through a link, or an event for a client that wants structured UUIDs. `event` is missing when gone. */
export function encodeResolved(event: StoredEvent | undefined, link: StoredEvent | undefined, form: UuidForm): Buffer {
  const parts: Buffer[] = [];
  if (event) parts.push(nest(1, encodeRecorded(event, form)));
  if (link) parts.push(nest(2, encodeRecorded(link, form)));
  const position = link?.position ?? event?.position ?? 0;
  const tail = Buffer.allocUnsafe(1 + varintSize(position));
  writeVarintField(tail, 0, 3, position);
  parts.push(tail);
  return framed(nest(1, Buffer.concat(parts)));
}

export function encodeConfirmation(subscriptionId: string): Buffer {
  return framed(nest(2, textField(1, subscriptionId)));
}

export function encodeCheckpoint(position: number): Buffer {
  const body = Buffer.allocUnsafe(2 * (1 + varintSize(position)));
  writeVarintField(body, writeVarintField(body, 0, 1, position), 2, position);
  return framed(nest(3, body));
}

export function encodeStreamNotFound(stream: string): Buffer {
  return framed(nest(4, nest(1, textField(3, stream))));
}

export const CAUGHT_UP: Buffer = framed(nest(8, Buffer.alloc(0)));

function recordedSize(event: StoredEvent): number {
  const stream = Buffer.byteLength(event.stream);
  return (
    fieldSize(fieldSize(UUID_TEXT_BYTES)) +
    fieldSize(fieldSize(stream)) +
    (event.revision === 0 ? 0 : 1 + varintSize(event.revision)) +
    2 * (1 + varintSize(event.position)) +
    fieldSize(entrySize('type', event.type)) +
    fieldSize(entrySize('content-type', contentType(event))) +
    fieldSize(entrySize('created', ticks(event))) +
    (event.metadata.length === 0 ? 0 : fieldSize(event.metadata.length)) +
    (event.data.length === 0 ? 0 : fieldSize(event.data.length))
  );
}

function writeRecorded(target: Buffer, start: number, event: StoredEvent): number {
  const stream = Buffer.byteLength(event.stream);
  let at = writeLength(target, start, 1, fieldSize(UUID_TEXT_BYTES));
  at = writeText(target, at, 2, event.id, UUID_TEXT_BYTES);
  at = writeLength(target, at, 2, fieldSize(stream));
  at = writeText(target, at, 3, event.stream, stream);
  if (event.revision !== 0) at = writeVarintField(target, at, 3, event.revision);
  at = writeVarintField(target, at, 4, event.position);
  at = writeVarintField(target, at, 5, event.position);
  at = writeEntry(target, at, 'type', event.type);
  at = writeEntry(target, at, 'content-type', contentType(event));
  at = writeEntry(target, at, 'created', ticks(event));
  if (event.metadata.length > 0) at = writeBytes(target, at, 7, event.metadata);
  return event.data.length > 0 ? writeBytes(target, at, 8, event.data) : at;
}

/** Derives the rare form from the common one: a structured UUID replaces the first field. */
function encodeRecorded(event: StoredEvent, form: UuidForm): Buffer {
  const bytes = Buffer.allocUnsafe(recordedSize(event));
  writeRecorded(bytes, 0, event);
  if (form === 'string') return bytes;
  return Buffer.concat([nest(1, structuredUuid(event.id)), bytes.subarray(fieldSize(fieldSize(UUID_TEXT_BYTES)))]);
}

function structuredUuid(id: string): Buffer {
  const bits = uuidBytes(id);
  const body = Buffer.alloc(2 * 11);
  body[0] = 1 << 3;
  let at = writeBigVarint(body, 1, bits.readBigInt64BE(0));
  body[at] = 2 << 3;
  at = writeBigVarint(body, at + 1, bits.readBigInt64BE(8));
  return nest(1, body.subarray(0, at));
}

function contentType(event: StoredEvent): string {
  return event.isJson ? 'application/json' : 'application/octet-stream';
}

function ticks(event: StoredEvent): string {
  return (BigInt(event.createdMs) * TICKS_PER_MS).toString();
}

function entrySize(key: string, value: string): number {
  return fieldSize(key.length) + fieldSize(Buffer.byteLength(value));
}

/** One entry of the system metadata map (field 6). */
function writeEntry(target: Buffer, start: number, key: string, value: string): number {
  let at = writeLength(target, start, 6, entrySize(key, value));
  at = writeText(target, at, 1, key, key.length);
  return writeText(target, at, 2, value, Buffer.byteLength(value));
}

export function nest(field: number, content: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(fieldSize(content.length));
  writeBytes(bytes, 0, field, content);
  return bytes;
}

function textField(field: number, text: string): Buffer {
  return nest(field, Buffer.from(text));
}
