import { readExpected, readStreamName } from '@app/event-store-wire';
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import {
  DeleteResp,
  TombstoneResp,
  type DeleteReq,
  type TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb';
import { isMetastream } from '../event';
import { asFailure, badRequest } from '../failure';
import { statusOf } from '../wire/errors';
import { writableStreamName } from '../wire/write-request';
import type { WriteRequest, WriteResult, Writes } from '../writing/request';
import type { OpenCalls } from './open-calls';

type Options = DeleteReq.Options | TombstoneReq.Options;

export function serveDelete(
  calls: OpenCalls,
  writer: Writes,
  call: ServerUnaryCall<DeleteReq, DeleteResp>,
  callback: sendUnaryData<DeleteResp>,
): void {
  const reply = calls.once((result: WriteResult) => {
    if (result.kind !== 'written') return callback(statusOf(result));
    const position = new DeleteResp.Position();
    position.setCommitPosition(String(result.position));
    position.setPreparePosition(String(result.position));
    const response = new DeleteResp();
    response.setPosition(position);
    callback(null, response);
  });
  submit(writer, 'delete', call.request.getOptions(), call.getDeadline(), reply);
}

export function serveTombstone(
  calls: OpenCalls,
  writer: Writes,
  call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
  callback: sendUnaryData<TombstoneResp>,
): void {
  const reply = calls.once((result: WriteResult) => {
    if (result.kind !== 'written') return callback(statusOf(result));
    const position = new TombstoneResp.Position();
    position.setCommitPosition(String(result.position));
    position.setPreparePosition(String(result.position));
    const response = new TombstoneResp();
    response.setPosition(position);
    callback(null, response);
  });
  submit(writer, 'tombstone', call.request.getOptions(), call.getDeadline(), reply);
}

function submit(
  writer: Writes,
  kind: 'delete' | 'tombstone',
  options: Options | undefined,
  deadline: Date | number,
  onDone: (result: WriteResult) => void,
): void {
  try {
    const stream = writableStreamName(readStreamName(options?.getStreamIdentifier()));
    if (!options || isMetastream(stream)) throw badRequest(`a metadata stream ends with its stream: "${stream}"`);
    const request: WriteRequest = {
      kind,
      stream,
      expected: readExpected(options, options.hasRevision(), options.getRevision()),
      deadlineMs: deadline instanceof Date ? deadline.getTime() : deadline,
    };
    writer.submit(request, onDone);
  } catch (error) {
    onDone(asFailure(error));
  }
}
