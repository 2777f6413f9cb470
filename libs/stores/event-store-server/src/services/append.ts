import { readExpected, readStreamName, sentUuid, type ProposedMessage } from '@app/event-store-wire';
import type { ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
import { AppendResp, type AppendReq } from '@eventstore/db-client/generated/streams_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import type { ProposedEvent } from '../event';
import { asFailure, badRequest } from '../failure';
import { setExpectation, statusOf, type WrongVersion } from '../wire/errors';
import { proposedBytes, proposedEvent, writableStreamName } from '../wire/write-request';
import type { Append, WriteResult, Written, Writes } from '../writing/request';
import { checkSize } from './batch-append';
import type { OpenCalls } from './open-calls';

/** Serves the older append: options first, then one message per event, one answer. A wrong version is a normal answer. */
export async function serveAppend(
  calls: OpenCalls,
  writer: Writes,
  call: ServerReadableStream<AppendReq, AppendResp>,
  callback: sendUnaryData<AppendResp>,
): Promise<void> {
  const reply = calls.once((result: WriteResult) => {
    if (result.kind === 'written') callback(null, writtenResponse(result));
    else if (result.kind === 'wrong-expected-version') callback(null, wrongVersionResponse(result));
    else callback(statusOf(result));
  });
  try {
    writer.submit(await readAppend(call), reply);
  } catch (error) {
    reply(asFailure(error));
  }
}

/** Stops reading at the size limit, so a call holds no more than one append may have. */
async function readAppend(call: ServerReadableStream<AppendReq, AppendResp>): Promise<Append> {
  let options: AppendReq.Options | undefined;
  const events: ProposedEvent[] = [];
  let bytes = 0;
  // `as`: grpc-js types its streams' items as any.
  for await (const request of call as AsyncIterable<AppendReq>) {
    options ??= request.getOptions();
    const message = request.getProposedMessage();
    if (!message) continue;
    if (!options) throw badRequest('the options come before the events');
    const event = proposedEvent(asSent(message));
    events.push(event);
    bytes += proposedBytes(event);
    checkSize(events.length, bytes);
  }
  if (!options) throw badRequest('an append needs options');
  const deadline = call.getDeadline();
  return {
    kind: 'append',
    stream: writableStreamName(readStreamName(options.getStreamIdentifier())),
    expected: readExpected(options, options.hasRevision(), options.getRevision()),
    deadlineMs: deadline instanceof Date ? deadline.getTime() : deadline,
    events,
    bytes,
  };
}

function asSent(message: AppendReq.ProposedMessage): ProposedMessage {
  const system = message.getMetadataMap();
  return {
    id: sentUuid(message.getId()),
    type: system.get('type'),
    contentType: system.get('content-type'),
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

function writtenResponse({ revision, position }: Written): AppendResp {
  const success = new AppendResp.Success();
  if (revision < 0) success.setNoStream(new Empty());
  else success.setCurrentRevision(String(revision));
  if (position === undefined) success.setNoPosition(new Empty());
  else {
    const at = String(position);
    success.setPosition(new AppendResp.Position().setCommitPosition(at).setPreparePosition(at));
  }
  return new AppendResp().setSuccess(success);
}

function wrongVersionResponse({ current, expected }: WrongVersion): AppendResp {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (current === 'no_stream') wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentRevision(String(current));
  if (typeof expected === 'number') wrong.setExpectedRevision(String(expected));
  else setExpectation(wrong, expected);
  return new AppendResp().setWrongExpectedVersion(wrong);
}
