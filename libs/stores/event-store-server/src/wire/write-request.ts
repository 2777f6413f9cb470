import type { ProposedMessage } from '@app/event-store-wire';
import { ALL_STREAM, baseStreamOf, isMetastream, isStorable, type ProposedEvent } from '../event';
import { FailureError, badRequest } from '../failure';
import { EVENT_TYPE_BYTES_MAX, STREAM_NAME_BYTES_MAX } from '../limits';

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the canonical lower-case text of a UUID. Throws a bad request when it is missing or malformed. */
export function canonicalUuid(text: string | undefined): string {
  if (!text || !CANONICAL.test(text)) throw badRequest(`not a UUID: ${text ?? 'missing'}`);
  return text.toLowerCase();
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
