/** Requests of the protocol itself, by the client's own stubs. */
import { randomUUID } from 'node:crypto';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { BatchAppendReq, type BatchAppendResp, ReadReq } from '@eventstore/db-client/generated/streams_pb';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb';

export function identifier(stream: string): StreamIdentifier {
  const name = new StreamIdentifier();
  name.setStreamName(Buffer.from(stream));
  return name;
}

export function textUuid(text: string): UUID {
  const uuid = new UUID();
  uuid.setString(text);
  return uuid;
}

export function structuredUuid(text: string): UUID {
  const bits = BigInt(`0x${text.replaceAll('-', '')}`);
  const structured = new UUID.Structured();
  structured.setMostSignificantBits(BigInt.asIntN(64, bits >> 64n).toString());
  structured.setLeastSignificantBits(BigInt.asIntN(64, bits).toString());
  const uuid = new UUID();
  uuid.setStructured(structured);
  return uuid;
}

export function batchPart(
  stream: string,
  id: UUID,
  options: { data?: Uint8Array; deadline?: Date; final?: boolean } = {},
): BatchAppendReq {
  const part = new BatchAppendReq();
  part.setCorrelationId(textUuid(randomUUID()));
  const head = new BatchAppendReq.Options();
  head.setStreamIdentifier(identifier(stream));
  head.setAny(new Empty());
  head.setDeadline(Timestamp.fromDate(options.deadline ?? new Date(Date.now() + 10_000)));
  part.setOptions(head);
  const message = new BatchAppendReq.ProposedMessage();
  message.setId(id);
  message.getMetadataMap().set('type', 'raw').set('content-type', 'application/json');
  message.setData(options.data ?? Buffer.from('{}'));
  part.addProposedMessages(message);
  part.setIsFinal(options.final ?? true);
  return part;
}

/** The events that a request reads. */
interface Reading {
  /** Default: `$all`. */
  readonly stream?: string;
  /** Skips this many events from the start; only for a stream. */
  readonly after?: number;
  /** Number of events to read; default: a subscription. */
  readonly count?: number;
  readonly uuids?: 'text' | 'structured';
  readonly filter?: ReadReq.Options.FilterOptions;
}

/** Returns a read from the start, or a subscription, without links. */
export function readRequest({ stream, after = 0, count, uuids = 'text', filter }: Reading): ReadReq {
  const options = new ReadReq.Options();
  if (stream === undefined) options.setAll(new ReadReq.Options.AllOptions().setStart(new Empty()));
  else options.setStream(placeIn(stream, after));
  if (count === undefined) options.setSubscription(new ReadReq.Options.SubscriptionOptions());
  else options.setCount(String(count));
  if (filter) options.setFilter(filter);
  else options.setNoFilter(new Empty());
  const form = new ReadReq.Options.UUIDOption();
  options.setUuidOption(uuids === 'text' ? form.setString(new Empty()) : form.setStructured(new Empty()));
  return new ReadReq().setOptions(options);
}

function placeIn(stream: string, after: number): ReadReq.Options.StreamOptions {
  const place = new ReadReq.Options.StreamOptions().setStreamIdentifier(identifier(stream));
  return after === 0 ? place.setStart(new Empty()) : place.setRevision(String(after - 1));
}

/** Ends a call that may continue. */
export function leave(call: ClientDuplexStream<BatchAppendReq, BatchAppendResp> | ClientReadableStream<unknown>): void {
  call.on('error', () => undefined); // the cancellation itself is reported as an error
  call.cancel();
}

/** Sends whole appends on one batch stream and returns their answers. (EventStoreDB does not end a call with a refusal.) */
export async function batch(protocol: StreamsClient, parts: readonly BatchAppendReq[]): Promise<BatchAppendResp[]> {
  const call = protocol.batchAppend();
  const answers: BatchAppendResp[] = [];
  for (const part of parts) call.write(part);
  // `as`: grpc-js types its streams' items as any.
  for await (const answer of call as AsyncIterable<BatchAppendResp>) {
    answers.push(answer);
    if (answers.length === parts.length) break;
  }
  leave(call);
  return answers;
}
