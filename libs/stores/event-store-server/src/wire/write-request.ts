import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
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
import { readUuid } from './uuid';

/** Both appends propose events in the same shape. */
export interface ProposedMessage {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
}

/** Every write's options name its expectation in the same way, but for the revision. */
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

/** The stream of a write. One bad name must not fail a whole group commit. */
export function readWritableStreamName(identifier: StreamIdentifier | undefined): string {
  const name = readStreamName(identifier);
  if (name === '' || name === ALL_STREAM) throw badRequest(`not a stream to write to: "${name}"`);
  if (isMetastream(name) && isMetastream(baseStreamOf(name))) {
    throw badRequest(`a metadata stream has no metadata stream: "${name}"`);
  }
  return storable('stream name', name, STREAM_NAME_BYTES_MAX);
}

/** Throws a failure when an id, type or content type is missing or cannot be stored. */
export function readProposedEvent(message: ProposedMessage): ProposedEvent {
  const map = message.getMetadataMap();
  const type = map.get('type');
  const contentType = map.get('content-type');
  if (!type || !contentType) {
    throw new FailureError({ kind: 'missing-metadata', properties: ['type', 'content-type'] });
  }
  return {
    id: readUuid(message.getId()),
    type: storable('event type', type, EVENT_TYPE_BYTES_MAX),
    isJson: contentType === 'application/json',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** What an event adds to the size of its append. */
export function proposedBytes(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + Buffer.byteLength(event.type);
}

function storable(what: string, text: string, bytesMax: number): string {
  if (!isStorable(text)) throw badRequest(`a ${what} must not contain a NUL character`);
  if (Buffer.byteLength(text) > bytesMax) throw badRequest(`a ${what} has at most ${bytesMax} bytes`);
  return text;
}
