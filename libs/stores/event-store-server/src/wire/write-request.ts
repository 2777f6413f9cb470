import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb';
import {
  ALL_STREAM,
  baseStreamOf,
  isMetastream,
  isStorable,
  type ExpectedRevision,
  type ProposedEvent,
} from '../event';
import { FailureError, badRequest } from '../failure';
import { EVENT_TYPE_BYTES_MAX, STREAM_NAME_BYTES_MAX } from '../limits';
import { canonicalUuid } from './uuid';

/** An event as it was sent, in either kind of append. */
export interface ProposedMessage {
  /** Text of a UUID, sent in either form. */
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly contentType: string | undefined;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** The expectation in the options of every write, except for the revision. */
export interface Expectation {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

export function readExpected(options: Expectation, hasRevision: boolean, revision: string): ExpectedRevision {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return hasRevision ? Number(revision) : 'any';
}

export function readStreamName(identifier: StreamIdentifier | undefined): string {
  const bytes = identifier?.getStreamName_asU8() ?? new Uint8Array(0);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** Returns the stream of a write, or throws, because one bad name must not fail a whole group commit. */
export function writableStreamName(name: string): string {
  if (name === '' || name === ALL_STREAM) throw badRequest(`not a stream to write to: "${name}"`);
  if (isMetastream(name) && isMetastream(baseStreamOf(name))) {
    throw badRequest(`a metadata stream has no metadata stream: "${name}"`);
  }
  return storable('stream name', name, STREAM_NAME_BYTES_MAX);
}

/** Throws a failure when an id, type or content type is missing or cannot be stored. */
export function proposedEvent({ id, type, contentType, data, metadata }: ProposedMessage): ProposedEvent {
  if (!type || !contentType) {
    throw new FailureError({ kind: 'missing-metadata', properties: ['type', 'content-type'] });
  }
  return {
    id: canonicalUuid(id),
    type: storable('event type', type, EVENT_TYPE_BYTES_MAX),
    isJson: contentType === 'application/json',
    data,
    metadata,
  };
}

/** Bytes that an event adds to its append. */
export function proposedBytes(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + Buffer.byteLength(event.type);
}

function storable(what: string, text: string, bytesMax: number): string {
  if (!isStorable(text)) throw badRequest(`a ${what} must not contain a NUL character`);
  if (Buffer.byteLength(text) > bytesMax) throw badRequest(`a ${what} has at most ${bytesMax} bytes`);
  return text;
}
