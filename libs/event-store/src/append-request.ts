import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb';

/** An event to be appended: its data and metadata are JSON values, or bytes that are sent as they are. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: unknown;
  readonly metadata?: unknown;
}

/** A message is sent once it holds this much; servers take up to 4 MiB, and an append of 1 MiB. */
const partBytesMax = 1024 * 1024;

/** One append as the messages of a BatchAppend call: the first says what is to be done, the last that it is complete. */
export function appendRequests(
  correlationId: string,
  stream: string,
  events: readonly ProposedEvent[],
  expectedRevision: number,
  deadlineEpochMs: number,
): BatchAppendReq[] {
  const id = new UUID().setString(correlationId);
  let part = new BatchAppendReq().setCorrelationId(id).setIsFinal(false);
  part.setOptions(optionsOf(stream, expectedRevision, deadlineEpochMs));
  const parts = [part];
  let bytes = 0;
  for (const event of events) {
    const message = proposed(event);
    const size = message.getData_asU8().length + message.getCustomMetadata_asU8().length;
    if (bytes > 0 && bytes + size > partBytesMax) {
      part = new BatchAppendReq().setCorrelationId(id).setIsFinal(false);
      parts.push(part);
      bytes = 0;
    }
    part.addProposedMessages(message);
    bytes += size;
  }
  part.setIsFinal(true);
  return parts;
}

function optionsOf(stream: string, expectedRevision: number, deadlineEpochMs: number): BatchAppendReq.Options {
  const options = new BatchAppendReq.Options();
  options.setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(stream)));
  options.setDeadline(Timestamp.fromDate(new Date(deadlineEpochMs)));
  if (expectedRevision < 0) options.setNoStream(new Empty());
  else options.setStreamPosition(String(expectedRevision));
  return options;
}

function proposed({ id, type, contentType, data, metadata }: ProposedEvent): BatchAppendReq.ProposedMessage {
  const message = new BatchAppendReq.ProposedMessage().setId(new UUID().setString(id));
  message.getMetadataMap().set('type', type).set('content-type', contentType);
  message.setData(bytesOf(data));
  if (metadata !== undefined) message.setCustomMetadata(bytesOf(metadata));
  return message;
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
}

/** The canonical lower-case text of a UUID in either of its forms; empty when there is none. */
export function uuidOf(uuid: UUID | undefined): string {
  const bits = uuid?.getStructured();
  if (bits === undefined) return uuid?.getString().toLowerCase() ?? '';
  const halves = [bits.getMostSignificantBits(), bits.getLeastSignificantBits()];
  const hex = halves.map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
