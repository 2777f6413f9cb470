/** Failures in EventStoreDB's wire form: gRPC statuses with an `exception` trailer, and `google.rpc.Status` in batches. */
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import {
  BadRequest,
  MaximumAppendSizeExceeded,
  StreamDeleted,
  StreamIdentifier,
  Timeout,
  Unknown,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import type { Message } from 'google-protobuf';
import type { ExpectedRevision } from '../event';
import { describeFailure, type Failure } from '../failure';
import { APPEND_BYTES_MAX } from '../limits';

type WrongVersion = Extract<Failure, { kind: 'wrong-expected-version' }>;

/** The status that ends a failed call. */
export function statusOf(failure: Failure): StatusObject {
  const trailers = new Metadata();
  const [code, exception] = codeAndException(failure);
  if (exception) trailers.set('exception', exception);
  for (const [key, value] of trailerFields(failure)) trailers.set(key, printable(value));
  return { code, details: describeFailure(failure), metadata: trailers };
}

function codeAndException(failure: Failure): [status, string | undefined] {
  switch (failure.kind) {
    case 'wrong-expected-version':
    case 'stream-deleted':
      return [status.FAILED_PRECONDITION, failure.kind];
    case 'append-too-large':
      return [status.INVALID_ARGUMENT, 'maximum-append-size-exceeded'];
    case 'missing-metadata':
      return [status.INVALID_ARGUMENT, 'missing-required-metadata-property'];
    case 'bad-request':
      return [status.INVALID_ARGUMENT, undefined];
    case 'bad-expression':
      return [status.UNKNOWN, undefined];
    case 'timeout':
      return [status.DEADLINE_EXCEEDED, undefined];
    case 'too-slow':
      return [status.ABORTED, undefined];
    case 'not-ready':
    case 'unavailable':
      return [status.UNAVAILABLE, undefined];
  }
}

function trailerFields(failure: Failure): [string, string][] {
  switch (failure.kind) {
    case 'wrong-expected-version':
      return [
        ['stream-name', failure.stream],
        ['expected-version', versionNumber(failure.expected).toString()],
        ['actual-version', versionNumber(failure.current).toString()],
      ];
    case 'stream-deleted':
      return [['stream-name', failure.stream]];
    case 'append-too-large':
      return [['maximum-append-size', APPEND_BYTES_MAX.toString()]];
    case 'missing-metadata':
      return [['required-metadata-properties', failure.properties.join(',')]];
    case 'bad-request':
    case 'bad-expression':
    case 'timeout':
    case 'not-ready':
    case 'too-slow':
    case 'unavailable':
      return [];
  }
}

/** EventStoreDB's numbers for expectations other than a revision. */
function versionNumber(version: ExpectedRevision): number {
  switch (version) {
    case 'any':
      return -2;
    case 'no_stream':
      return -1;
    case 'stream_exists':
      return -4;
    default:
      return version;
  }
}

/** Trailers hold visible ASCII only. */
function printable(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
}

/** The status that answers one failed append of a batch stream: an encoded `google.rpc.Status`. */
export function batchStatusOf(failure: Failure): Uint8Array {
  return statusMessage(failure).serializeBinary();
}

function statusMessage(failure: Failure): Status {
  if (failure.kind === 'not-ready') return notHandled(describeFailure(failure));
  const [name, detail] = batchDetail(failure);
  const details = new Any();
  details.pack(detail.serializeBinary(), `event_store.client.${name}`);
  const answer = new Status();
  // google.rpc.Code and gRPC's status codes are the same numbers.
  const code: number = codeAndException(failure)[0];
  answer.setCode(code);
  answer.setMessage(describeFailure(failure));
  answer.setDetails(details);
  return answer;
}

/** The answer of a node that did not process an append: it has neither a code nor a detail. */
function notHandled(message: string): Status {
  const details = new Any();
  details.pack(new Empty().serializeBinary(), 'google.protobuf.Empty');
  const answer = new Status();
  answer.setMessage(message);
  answer.setDetails(details);
  return answer;
}

function batchDetail(failure: Failure): [string, Message] {
  switch (failure.kind) {
    case 'wrong-expected-version':
      return ['WrongExpectedVersion', wrongExpectedVersion(failure)];
    case 'stream-deleted': {
      const identifier = new StreamIdentifier();
      identifier.setStreamName(Buffer.from(failure.stream));
      const deleted = new StreamDeleted();
      deleted.setStreamIdentifier(identifier);
      return ['StreamDeleted', deleted];
    }
    case 'append-too-large': {
      const exceeded = new MaximumAppendSizeExceeded();
      exceeded.setMaxappendsize(APPEND_BYTES_MAX);
      return ['MaximumAppendSizeExceeded', exceeded];
    }
    case 'missing-metadata':
    case 'bad-expression':
    case 'bad-request': {
      const bad = new BadRequest();
      bad.setMessage(describeFailure(failure));
      return ['BadRequest', bad];
    }
    case 'timeout':
      return ['Timeout', new Timeout()];
    case 'not-ready':
    case 'too-slow':
    case 'unavailable':
      return ['Unknown', new Unknown()];
  }
}

function wrongExpectedVersion(failure: WrongVersion): WrongExpectedVersion {
  const wrong = new WrongExpectedVersion();
  if (failure.current === 'no_stream') wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentStreamRevision(failure.current.toString());
  switch (failure.expected) {
    case 'any':
      wrong.setExpectedAny(new Empty());
      break;
    case 'stream_exists':
      wrong.setExpectedStreamExists(new Empty());
      break;
    case 'no_stream':
      wrong.setExpectedNoStream(new Empty());
      break;
    default:
      wrong.setExpectedStreamPosition(failure.expected.toString());
  }
  return wrong;
}
