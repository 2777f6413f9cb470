/** `event_store.client.streams.ReadResp`: an answer to a read or a subscription. Every encoded one is framed. */
import { readEvent, readResp, streamNotFound, subscriptionConfirmation } from './fields';
import { PREFIX_BYTES, framed, writePrefix } from './grpc-frame';
import { ProtobufReader } from './protobuf-reader';
import {
  bytesField,
  fieldSize,
  message,
  presence,
  varintField,
  varintFieldSize,
  writeLength,
  writeVarintField,
} from './protobuf-writer';
import type { UuidForm } from './read-request';
import { encodeRecorded, readReceived, readExactly, recordedSize, writeRecorded } from './recorded-event';
import type { ReceivedEvent, RecordedEvent, ExactEvent } from './recorded-event';
import { positionField, readCommitPosition, streamIdentifierField } from './shared-messages';

/** The server has searched the store up to this position. */
interface Checkpoint {
  readonly kind: 'checkpoint';
  readonly position: number;
}

/**
 * Content of an answer to a read or a subscription. `missing`: the stream does not exist, or was soft-deleted. `nothing`: a confirmation or
 * the like.
 */
export type ReadAnswer = ReceivedEvent | Checkpoint | { readonly kind: 'missing' | 'nothing' };

const nothing: ReadAnswer = { kind: 'nothing' };

/** @throws RangeError for bytes that are not a `ReadResp` */
export function readAnswer(bytes: Buffer): ReadAnswer {
  const reader = new ProtobufReader(bytes);
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === readResp.event) return reader.message(receivedEvent) ?? nothing;
    if (tag === readResp.checkpoint) return { kind: 'checkpoint', position: reader.message(readCommitPosition) };
    if (tag === readResp.streamNotFound) return { kind: 'missing' };
    reader.skip(tag);
  }
  return nothing;
}

/** Reads the event itself or, if links are resolved, the target of its link; null when the target is gone. */
function eventBy<Event>(read: (reader: ProtobufReader) => Event): (reader: ProtobufReader) => Event | null {
  return (reader) => {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === readEvent.event) return reader.message(read);
      reader.skip(tag);
    }
    return null;
  };
}

const receivedEvent = eventBy(readReceived);
const exactEvent = eventBy(readExactly);

/** The event in an answer to a read, in all that a copy needs; null when there is none. @throws RangeError like `readAnswer` */
export function exactEventIn(answer: Buffer): ExactEvent | null {
  const reader = new ProtobufReader(answer);
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === readResp.event) return reader.message(exactEvent);
    reader.skip(tag);
  }
  return null;
}

/** A committed event with its wire form, encoded once for all its readers. */
export interface FramedEvent extends RecordedEvent {
  /** A `ReadResp` with string UUIDs and no link, framed as gRPC sends it. */
  readonly frame: Buffer;
}

/** Encodes the event once; `data` and `metadata` of the result are views of the frame, so only the frame is kept in memory. */
export function frameEvent(event: RecordedEvent): FramedEvent {
  const recorded = recordedSize(event);
  const inner = fieldSize(recorded) + varintFieldSize(event.position);
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + fieldSize(inner));
  let at = writeLength(frame, writePrefix(frame, fieldSize(inner)), readResp.event, inner);
  at = writeLength(frame, at, readEvent.event, recorded);
  at = writeRecorded(frame, at, event);
  writeVarintField(frame, at, readEvent.commit, event.position);
  const data = frame.subarray(at - event.data.length, at);
  const metadataEnd = event.data.length === 0 ? at : at - fieldSize(event.data.length);
  const metadata = frame.subarray(metadataEnd - event.metadata.length, metadataEnd);
  return { ...event, data, metadata, frame };
}

/** Encodes an event reached through a link, or an event for a client that wants structured UUIDs. `event` is missing when gone. */
export function encodeResolved(
  event: RecordedEvent | undefined,
  link: RecordedEvent | undefined,
  form: UuidForm,
): Buffer {
  const parts: Buffer[] = [];
  if (event) parts.push(bytesField(readEvent.event, encodeRecorded(event, form)));
  if (link) parts.push(bytesField(readEvent.link, encodeRecorded(link, form)));
  parts.push(varintField(readEvent.commit, link?.position ?? event?.position ?? 0));
  return framed(message(readResp.event, parts));
}

export function encodeConfirmation(subscriptionId: string): Buffer {
  const id = bytesField(subscriptionConfirmation.id, Buffer.from(subscriptionId));
  return framed(message(readResp.confirmation, [id]));
}

export function encodeCheckpoint(position: number): Buffer {
  return framed(positionField(readResp.checkpoint, position));
}

export function encodeStreamNotFound(stream: string): Buffer {
  return framed(message(readResp.streamNotFound, [streamIdentifierField(streamNotFound.stream, stream)]));
}

export const CAUGHT_UP: Buffer = framed(presence(readResp.caughtUp));
