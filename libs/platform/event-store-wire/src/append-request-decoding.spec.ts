/** Decoding by hand must match the client's own stubs: what they encode and decode, and the other way round. */
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import {
  contents,
  expectRefusalOfWrongBytes,
  expectSameMeaning,
  identifiers,
  integers,
  optional,
  texts,
  uuids,
} from '@app/testing/event-store';
import fc from 'fast-check';
import { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb';
import { encodeBatchWritten } from './append-answer';
import { decodeBatchAppendPart, type BatchAppendPart } from './append-request';
import { readExpected, readStreamName, sentUuid } from './generated-messages';
import { messagesIn } from './grpc-frame';

const timestamps = fc
  .record({ seconds: fc.integer({ min: -1_000, max: 4_000_000_000 }), nanos: fc.nat(999_999_999) })
  .map(({ seconds, nanos }) => {
    const timestamp = new Timestamp();
    timestamp.setSeconds(seconds);
    timestamp.setNanos(nanos);
    return timestamp;
  });
const batchOptions = fc
  .record({
    stream: optional(identifiers),
    expected: fc.oneof(integers, fc.constantFrom('any', 'no_stream', 'stream_exists', 'unsaid')),
    deadline: optional(timestamps),
  })
  .map(({ stream, expected, deadline }) => {
    const options = new BatchAppendReq.Options();
    options.setStreamIdentifier(stream);
    options.setDeadline(deadline);
    if (expected === 'any') options.setAny(new Empty());
    else if (expected === 'no_stream') options.setNoStream(new Empty());
    else if (expected === 'stream_exists') options.setStreamExists(new Empty());
    else if (typeof expected === 'number') options.setStreamPosition(String(expected));
    return options;
  });
const proposed = fc
  .record({ id: optional(uuids), system: fc.dictionary(systemKeys(), texts), metadata: contents, data: contents })
  .map(({ id, system, metadata, data }) => {
    const message = new BatchAppendReq.ProposedMessage();
    message.setId(id);
    for (const [key, value] of Object.entries(system)) message.getMetadataMap().set(key, value);
    message.setCustomMetadata(metadata);
    message.setData(data);
    return message;
  });
const parts = fc
  .record({
    correlationId: optional(uuids),
    options: optional(batchOptions),
    events: fc.array(proposed, { maxLength: 3 }),
    isFinal: fc.boolean(),
  })
  .map(({ correlationId, options, events, isFinal }) => {
    const part = new BatchAppendReq();
    part.setCorrelationId(correlationId);
    part.setOptions(options);
    part.setProposedMessagesList(events);
    part.setIsFinal(isFinal);
    return part;
  });

function systemKeys(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom('type', 'content-type'), fc.string({ minLength: 1, maxLength: 5 }));
}

function asGenerated(part: BatchAppendReq): BatchAppendPart {
  const options = part.getOptions();
  return {
    correlationId: sentUuid(part.getCorrelationId()),
    options: options && {
      stream: readStreamName(options.getStreamIdentifier()),
      expected: readExpected(options, options.hasStreamPosition(), options.getStreamPosition()),
      deadlineMs: options.getDeadline()?.toDate().getTime() ?? Infinity,
    },
    events: part.getProposedMessagesList().map((message) => ({
      id: sentUuid(message.getId()),
      type: message.getMetadataMap().get('type'),
      contentType: message.getMetadataMap().get('content-type'),
      metadata: Buffer.from(message.getCustomMetadata_asU8()),
      data: Buffer.from(message.getData_asU8()),
    })),
    isFinal: part.getIsFinal(),
  };
}

const decoders = {
  byHand: decodeBatchAppendPart,
  generated: (bytes: Buffer) => asGenerated(BatchAppendReq.deserializeBinary(bytes)),
};
const messages = parts.map((part) => part.serializeBinary());
const twice = fc.tuple(messages, messages).map((both) => Buffer.concat(both));

test('a part of an append, with fields that are not known', () => expectSameMeaning(messages, decoders));

test('of what excludes each other the last counts, and of what comes twice', () => expectSameMeaning(twice, decoders));

test('bytes that are cut off, or wrong, are refused or mean what they say', () =>
  expectRefusalOfWrongBytes(messages, decoders));

test('the answers of a batch stream', () => {
  const written = fc.record({ revision: fc.oneof(fc.constant(-1), integers), position: optional(integers) });
  fc.assert(
    fc.property(fc.uuid(), texts, written, (id, stream, { revision, position }) => {
      const answer = answerOf(encodeBatchWritten(id, stream, { revision, position }));
      const success = answer.getSuccess();
      expect([sentUuid(answer.getCorrelationId()), readStreamName(answer.getStreamIdentifier())]).toEqual([id, stream]);
      expect(success?.hasNoStream() === true ? -1 : Number(success?.getCurrentRevision())).toBe(revision);
      const place = success?.getPosition();
      expect([place?.getCommitPosition(), place?.getPreparePosition()]).toEqual(
        position === undefined ? [undefined, undefined] : [String(position), String(position)],
      );
      expect(success?.hasNoPosition()).toBe(position === undefined);
    }),
  );
});

function answerOf(frame: Buffer): BatchAppendResp {
  const [message = Buffer.alloc(0), ...others] = messagesIn(frame);
  expect(others).toEqual([]);
  return BatchAppendResp.deserializeBinary(message);
}
