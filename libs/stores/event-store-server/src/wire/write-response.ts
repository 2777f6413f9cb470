/** Answers of a batch stream, one per append: `event_store.client.streams.BatchAppendResp`. */
import type { Failure } from '../failure';
import type { Written } from '../writing/request';
import { batchStatusOf } from './errors';
import { varintSize, writeVarintField } from './protobuf';
import { nest, textField } from './read-response';

const NOTHING = Buffer.alloc(0);

export function encodeBatchWritten(correlationId: string, stream: string, written: Written): Buffer {
  const revision = written.revision < 0 ? nest(2, NOTHING) : varintField(1, written.revision);
  const position =
    written.position === undefined
      ? nest(4, NOTHING)
      : nest(3, Buffer.concat([varintField(1, written.position), varintField(2, written.position)]));
  return answer(correlationId, stream, nest(3, Buffer.concat([revision, position])));
}

export function encodeBatchFailure(correlationId: string, stream: string, failure: Failure): Buffer {
  return answer(correlationId, stream, nest(2, Buffer.from(batchStatusOf(failure).serializeBinary())));
}

function answer(correlationId: string, stream: string, result: Buffer): Buffer {
  return Buffer.concat([nest(1, textField(2, correlationId)), result, nest(4, textField(3, stream))]);
}

function varintField(field: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(1 + varintSize(value));
  writeVarintField(bytes, 0, field, value);
  return bytes;
}
