import { readExpected, readStreamName } from '@app/event-store-wire';
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { DeleteResp, TombstoneResp } from '@eventstore/db-client/generated/streams_pb';
import type { DeleteReq, TombstoneReq } from '@eventstore/db-client/generated/streams_pb';
import { isMetastream } from '../event';
import { asFailure, badRequest } from '../failure';
import { statusOf } from '../wire/errors';
import { writableStreamName } from '../wire/write-request';
import type { WriteRequest, WriteResult, Writes } from '../writing/request';
import type { OpenCalls } from './open-calls';

export function serveDelete(
  calls: OpenCalls,
  writer: Writes,
  call: ServerUnaryCall<DeleteReq, DeleteResp>,
  callback: sendUnaryData<DeleteResp>,
): void {
  serve('delete', calls, writer, call, callback, (at) =>
    new DeleteResp().setPosition(new DeleteResp.Position().setCommitPosition(at).setPreparePosition(at)),
  );
}

export function serveTombstone(
  calls: OpenCalls,
  writer: Writes,
  call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
  callback: sendUnaryData<TombstoneResp>,
): void {
  serve('tombstone', calls, writer, call, callback, (at) =>
    new TombstoneResp().setPosition(new TombstoneResp.Position().setCommitPosition(at).setPreparePosition(at)),
  );
}

function serve<Response>(
  kind: 'delete' | 'tombstone',
  calls: OpenCalls,
  writer: Writes,
  call: ServerUnaryCall<DeleteReq | TombstoneReq, Response>,
  callback: sendUnaryData<Response>,
  responseAt: (position: string) => Response,
): void {
  const reply = calls.once((result: WriteResult) => {
    if (result.kind === 'written') callback(null, responseAt(String(result.position)));
    else callback(statusOf(result));
  });
  try {
    const options = call.request.getOptions();
    const stream = writableStreamName(readStreamName(options?.getStreamIdentifier()));
    if (!options || isMetastream(stream)) throw badRequest(`a metadata stream ends with its stream: "${stream}"`);
    const deadline = call.getDeadline();
    const request: WriteRequest = {
      kind,
      stream,
      expected: readExpected(options, options.hasRevision(), options.getRevision()),
      deadlineMs: deadline instanceof Date ? deadline.getTime() : deadline,
    };
    writer.submit(request, reply);
  } catch (error) {
    reply(asFailure(error));
  }
}
