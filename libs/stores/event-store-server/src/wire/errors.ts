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

export type WrongVersion = Extract<Failure, { kind: 'wrong-expected-version' }>;

/** The status of each failure, with the exception that the client's library knows it by, if there is one. */
const codes: Readonly<Record<Failure['kind'], readonly [code: status, exception?: string]>> = {
  'wrong-expected-version': [status.FAILED_PRECONDITION, 'wrong-expected-version'],
  'stream-deleted': [status.FAILED_PRECONDITION, 'stream-deleted'],
  'append-too-large': [status.INVALID_ARGUMENT, 'maximum-append-size-exceeded'],
  'missing-metadata': [status.INVALID_ARGUMENT, 'missing-required-metadata-property'],
  'bad-request': [status.INVALID_ARGUMENT],
  'bad-expression': [status.UNKNOWN],
  timeout: [status.DEADLINE_EXCEEDED],
  'too-slow': [status.ABORTED],
  'not-ready': [status.UNAVAILABLE],
  unavailable: [status.UNAVAILABLE],
};

/** The status that ends a failed call. */
export function statusOf(failure: Failure): StatusObject {
  const trailers = new Metadata();
  const [code, exception] = codes[failure.kind];
  if (exception) trailers.set('exception', exception);
  for (const [key, value] of trailerFields(failure)) trailers.set(key, printable(value));
  return { code, details: shortened(describeFailure(failure)), metadata: trailers };
}

/** Text of a request may be part of a failure. A status that exceeds 64 KiB as a header is never sent, and blocks its connection. */
const DETAILS_BYTES_MAX = 4_096;

/** Cuts bytes, not characters: grpc-js cannot send half of a surrogate pair. */
function shortened(text: string): string {
  return Buffer.from(text).toString('utf8', 0, DETAILS_BYTES_MAX);
}

function trailerFields(failure: Failure): [string, string][] {
  switch (failure.kind) {
    case 'wrong-expected-version':
      return [
        ['stream-name', failure.stream],
        ['expected-version', versionText(failure.expected)],
        ['actual-version', versionText(failure.current)],
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
const versionNumbers = { any: -2, no_stream: -1, stream_exists: -4 } as const;

function versionText(version: ExpectedRevision): string {
  return String(typeof version === 'number' ? version : versionNumbers[version]);
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
  const answer = new Status().setMessage(describeFailure(failure));
  // The answer of a node that did not process an append has neither a code nor a detail.
  if (failure.kind === 'not-ready') return answer.setDetails(packed('google.protobuf.Empty', new Empty()));
  const [name, detail] = batchDetail(failure);
  // google.rpc.Code and gRPC's status codes are the same numbers.
  const code: number = codes[failure.kind][0];
  return answer.setCode(code).setDetails(packed(`event_store.client.${name}`, detail));
}

function packed(typeName: string, message: Message): Any {
  const packed = new Any();
  packed.pack(message.serializeBinary(), typeName);
  return packed;
}

function batchDetail(failure: Failure): [string, Message] {
  switch (failure.kind) {
    case 'wrong-expected-version':
      return ['WrongExpectedVersion', wrongExpectedVersion(failure)];
    case 'stream-deleted': {
      const identifier = new StreamIdentifier().setStreamName(Buffer.from(failure.stream));
      return ['StreamDeleted', new StreamDeleted().setStreamIdentifier(identifier)];
    }
    case 'append-too-large':
      return ['MaximumAppendSizeExceeded', new MaximumAppendSizeExceeded().setMaxappendsize(APPEND_BYTES_MAX)];
    case 'missing-metadata':
    case 'bad-expression':
    case 'bad-request':
      return ['BadRequest', new BadRequest().setMessage(describeFailure(failure))];
    case 'timeout':
      return ['Timeout', new Timeout()];
    case 'not-ready':
    case 'too-slow':
    case 'unavailable':
      return ['Unknown', new Unknown()];
  }
}

function wrongExpectedVersion({ current, expected }: WrongVersion): WrongExpectedVersion {
  const wrong = new WrongExpectedVersion();
  if (current === 'no_stream') wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentStreamRevision(String(current));
  if (typeof expected === 'number') wrong.setExpectedStreamPosition(String(expected));
  else setExpectation(wrong, expected);
  return wrong;
}

/** Members that the answers of both kinds of append share. */
interface WrongVersionAnswer {
  setExpectedAny(value: Empty): unknown;
  setExpectedStreamExists(value: Empty): unknown;
  setExpectedNoStream(value: Empty): unknown;
}

/** Sets in an answer which expectation was not met, if it was not a revision. */
export function setExpectation(answer: WrongVersionAnswer, expected: Exclude<ExpectedRevision, number>): void {
  if (expected === 'any') answer.setExpectedAny(new Empty());
  else if (expected === 'stream_exists') answer.setExpectedStreamExists(new Empty());
  else answer.setExpectedNoStream(new Empty());
}
