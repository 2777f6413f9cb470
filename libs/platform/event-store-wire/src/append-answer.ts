/** `event_store.client.streams.BatchAppendResp`: the answer to one append of a batch stream. */
import { batchAppendResp, batchAppendSuccess } from './fields';
import { PREFIX_BYTES, writePrefix } from './grpc-frame';
import { ProtobufReader } from './protobuf-reader';
import { bytesField, fieldSize, varintFieldSize, writeLength, writeVarintField } from './protobuf-writer';
import {
  positionSize,
  readCommitPosition,
  readUuidText,
  uuidFieldSize,
  writePosition,
  writeStreamIdentifier,
  writeUuidText,
} from './shared-messages';

/** Revision and position of the last event of an append. */
export interface Place {
  readonly revision: number;
  readonly position: number;
}

/** The answer to one append, identified by its correlation id; `place` is null when the append was refused. */
export interface AppendAnswer {
  readonly correlationId: string;
  readonly place: Place | null;
}

/** @throws RangeError for bytes that are not a `BatchAppendResp` */
export function appendAnswer(bytes: Buffer): AppendAnswer {
  const reader = new ProtobufReader(bytes);
  let [correlationId, place]: [string, Place | null] = ['', null];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === batchAppendResp.correlationId) correlationId = reader.message(readUuidText).toLowerCase();
    else if (tag === batchAppendResp.success) place = reader.message(readPlace);
    else reader.skip(tag);
  }
  return { correlationId, place };
}

function readPlace(reader: ProtobufReader): Place {
  let [revision, position] = [0, 0];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === batchAppendSuccess.revision) revision = reader.varint();
    else if (tag === batchAppendSuccess.position) position = reader.message(readCommitPosition);
    else reader.skip(tag);
  }
  return { revision, position };
}

/** The place of an append's last event: its revision, -1 without one, and its position, which may be unknown. */
interface LastEvent {
  readonly revision: number;
  readonly position: number | undefined;
}

/** Encodes and frames the answer to an append that was written. @param correlationId a canonical UUID */
export function encodeBatchWritten(correlationId: string, stream: string, written: LastEvent): Buffer {
  return answer(correlationId, stream, encodeSuccess(written));
}

/** Revision and position are each written, or marked as missing. */
function encodeSuccess({ revision, position }: LastEvent): Buffer {
  const { revision: revisionTag, noStream, position: positionTag, noPosition } = batchAppendSuccess;
  const revisionBytes = revision < 0 ? fieldSize(0) : varintFieldSize(revision);
  const positionBytes = position === undefined ? 0 : positionSize(position);
  const bytes = revisionBytes + fieldSize(positionBytes);
  const target = Buffer.allocUnsafe(fieldSize(bytes));
  let at = writeLength(target, 0, batchAppendResp.success, bytes);
  at = revision < 0 ? writeLength(target, at, noStream, 0) : writeVarintField(target, at, revisionTag, revision);
  if (position === undefined) writeLength(target, at, noPosition, 0);
  else writePosition(target, at, positionTag, position);
  return target;
}

/**
 * Encodes and frames the answer to an append that was refused.
 * @param correlationId a canonical UUID
 * @param status an encoded `google.rpc.Status`
 */
export function encodeBatchRefused(correlationId: string, stream: string, status: Uint8Array): Buffer {
  return answer(correlationId, stream, bytesField(batchAppendResp.error, status));
}

function answer(correlationId: string, stream: string, result: Buffer): Buffer {
  const streamBytes = Buffer.byteLength(stream);
  const bytes = uuidFieldSize(correlationId) + result.length + fieldSize(fieldSize(streamBytes));
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + bytes);
  const at = writeUuidText(frame, writePrefix(frame, bytes), batchAppendResp.correlationId, correlationId);
  frame.set(result, at);
  writeStreamIdentifier(frame, at + result.length, batchAppendResp.stream, stream, streamBytes);
  return frame;
}
