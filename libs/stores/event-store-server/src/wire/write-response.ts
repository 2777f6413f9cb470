/** Answers of a batch stream, one per append: `event_store.client.streams.BatchAppendResp`, framed. */
import type { Failure } from '../failure';
import { batchStatusOf } from './errors';
import { PREFIX_BYTES, writePrefix } from './grpc-frame';
import { fieldSize, varintSize, writeLength, writeText, writeVarintField } from './protobuf';
import { nest } from './read-response';
import { UUID_TEXT_BYTES } from './uuid';

/** The place of an append's last event: its revision, -1 without one, and its position, which may be unknown. */
interface LastEvent {
  readonly revision: number;
  readonly position: number | undefined;
}

/** @param correlationId a canonical UUID */
export function encodeBatchWritten(correlationId: string, stream: string, written: LastEvent): Buffer {
  return answer(correlationId, stream, encodeSuccess(written));
}

/** @param correlationId a canonical UUID */
export function encodeBatchFailure(correlationId: string, stream: string, failure: Failure): Buffer {
  return answer(correlationId, stream, nest(2, Buffer.from(batchStatusOf(failure).serializeBinary())));
}

/** Revision and position are each written, or marked as missing. */
function encodeSuccess({ revision, position }: LastEvent): Buffer {
  const revisionBytes = revision < 0 ? fieldSize(0) : 1 + varintSize(revision);
  const positionBytes = position === undefined ? 0 : 2 * (1 + varintSize(position));
  const bytes = revisionBytes + fieldSize(positionBytes);
  const target = Buffer.allocUnsafe(fieldSize(bytes));
  let at = writeLength(target, 0, 3, bytes);
  at = revision < 0 ? writeLength(target, at, 2, 0) : writeVarintField(target, at, 1, revision);
  at = writeLength(target, at, position === undefined ? 4 : 3, positionBytes);
  if (position !== undefined) writeVarintField(target, writeVarintField(target, at, 1, position), 2, position);
  return target;
}

function answer(correlationId: string, stream: string, result: Buffer): Buffer {
  const streamBytes = Buffer.byteLength(stream);
  const bytes = fieldSize(fieldSize(UUID_TEXT_BYTES)) + result.length + fieldSize(fieldSize(streamBytes));
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + bytes);
  let at = writeLength(frame, writePrefix(frame, bytes), 1, fieldSize(UUID_TEXT_BYTES));
  at = writeText(frame, at, 2, correlationId, UUID_TEXT_BYTES);
  frame.set(result, at);
  at = writeLength(frame, at + result.length, 4, fieldSize(streamBytes));
  writeText(frame, at, 3, stream, streamBytes);
  return frame;
}
