/** The client's own stubs read in a request what was to be appended. */
import { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import { contents, integers, texts } from '@app/testing/event-store';
import fc from 'fast-check';
import { appendRequests } from './append-request';
import { readExpected, readStreamName, sentUuid } from './generated-messages';

const proposals = fc.record(
  { id: fc.uuid(), type: texts, contentType: texts, data: contents, metadata: contents },
  { requiredKeys: ['id', 'type', 'contentType', 'data'] },
);
const correlationId = '6f7a3c1e-0000-4000-8000-000000000001';

function read(requests: readonly Buffer[]) {
  return requests.map((request) => BatchAppendReq.deserializeBinary(request));
}

function eventsIn(part: BatchAppendReq) {
  return part.getProposedMessagesList().map((message) => ({
    id: sentUuid(message.getId()),
    system: Object.fromEntries(message.getMetadataMap().toObject()),
    data: Buffer.from(message.getData_asU8()).toString(),
    metadata: Buffer.from(message.getCustomMetadata_asU8()).toString(),
  }));
}

it('carries its events, their stream, the expectation and the deadline', () => {
  const revisions = fc.oneof(integers, fc.constant(-1));
  fc.assert(
    fc.property(texts, fc.array(proposals, { maxLength: 3 }), revisions, integers, (stream, events, revision, ms) => {
      const [part, ...others] = read(appendRequests(correlationId, stream, events, revision, ms));
      expect(others).toEqual([]);
      expect([sentUuid(part?.getCorrelationId()), part?.getIsFinal()]).toEqual([correlationId, true]);
      const options = part?.getOptions();
      expect(readStreamName(options?.getStreamIdentifier())).toBe(stream);
      expect(options && readExpected(options, options.hasStreamPosition(), options.getStreamPosition())).toBe(
        revision < 0 ? 'no_stream' : revision,
      );
      const deadline = options?.getDeadline();
      expect([deadline?.getSeconds(), deadline?.getNanos()]).toEqual([
        Math.floor(ms / 1_000),
        (ms % 1_000) * 1_000_000,
      ]);
      expect(part && eventsIn(part)).toEqual(
        events.map(({ id, type, contentType, data, metadata }) => ({
          id,
          system: { type, 'content-type': contentType },
          data: Buffer.from(data).toString(),
          metadata: Buffer.from(metadata ?? []).toString(),
        })),
      );
    }),
  );
});

it('is sent in parts of a MiB: the first has the options, the last is final', () => {
  const event = { id: correlationId, type: 'a', contentType: 'application/json', data: Buffer.alloc(600_000) };
  const parts = read(appendRequests(correlationId, 's', [event, event, event], 0, 1_000));
  expect(parts.map((part) => [part.hasOptions(), part.getProposedMessagesList().length, part.getIsFinal()])).toEqual([
    [true, 1, false],
    [false, 1, false],
    [false, 1, true],
  ]);
});

it('sends a value as JSON', () => {
  const event = { id: correlationId, type: 'a', contentType: 'application/json', data: { b: 1 }, metadata: [2] };
  const [part] = read(appendRequests(correlationId, 's', [event], 0, 1_000));
  expect(part && eventsIn(part)[0]).toMatchObject({ data: '{"b":1}', metadata: '[2]' });
});
