/** The reader written by hand must return what the client's own stubs and conversions return for the same bytes. */
import { AllStreamPosition, Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { convertGrpcRecord } from '@eventstore/db-client/dist/utils/convertGrpcEvent';
import fc from 'fast-check';
import { appendAnswer } from './append-answer';
import { readAnswer } from './read-answer';

const integers = fc.oneof(
  fc.nat(200),
  fc.maxSafeNat(),
  fc.constantFrom(0, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
);
const texts = fc.string({ unit: 'grapheme', maxLength: 40 });
const bytes = fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some));
const events = fc.record({
  id: fc.uuid({ version: [1, 4] }),
  form: fc.constantFrom('text', 'structured'),
  stream: texts,
  // The last two are the revision of the event that ends a tombstoned stream, and the highest one.
  revision: fc.oneof(integers.map(BigInt), fc.constantFrom(2n ** 63n - 1n, 2n ** 64n - 1n)),
  position: integers,
  system: fc.dictionary(fc.oneof(texts, fc.constantFrom('type', 'content-type', 'created')), texts),
  contentType: fc.constantFrom('application/json', 'application/octet-stream', undefined),
  data: bytes,
  metadata: bytes,
  unknown: fc.boolean(),
});
type Event = typeof events extends fc.Arbitrary<infer Value> ? Value : never;

function uuidOf(id: string, form: string): UUID {
  if (form === 'text') return new UUID().setString(id);
  const bits = BigInt(`0x${id.replaceAll('-', '')}`);
  const structured = new UUID.Structured();
  structured.setMostSignificantBits(String(BigInt.asIntN(64, bits >> 64n)));
  structured.setLeastSignificantBits(String(BigInt.asIntN(64, bits)));
  return new UUID().setStructured(structured);
}

function recordedOf(event: Event): ReadResp.ReadEvent.RecordedEvent {
  const recorded = new ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuidOf(event.id, event.form));
  recorded.setStreamIdentifier(identifierOf(event.stream));
  recorded.setStreamRevision(String(event.revision));
  recorded.setPreparePosition(String(event.position));
  recorded.setCommitPosition(String(event.position));
  for (const [name, value] of Object.entries(event.system)) recorded.getMetadataMap().set(name, value);
  if (event.contentType !== undefined) recorded.getMetadataMap().set('content-type', event.contentType);
  recorded.setData(event.data);
  recorded.setCustomMetadata(event.metadata);
  return recorded;
}

const identifierOf = (stream: string) => new StreamIdentifier().setStreamName(Buffer.from(stream));
const bytesOf = (message: { serializeBinary(): Uint8Array }) => Buffer.from(message.serializeBinary());
/** Fields that no version has yet, one of each wire type. */
const unknownFields = Buffer.from([
  0xf8,
  0x07,
  0x96,
  0x01,
  0xf9,
  0x07,
  ...Array(8).fill(1),
  0xfa,
  0x07,
  1,
  7,
  0xfd,
  0x07,
  1,
  2,
  3,
  4,
]);

describe('an answer to a read', () => {
  it('carries the very event', () => {
    fc.assert(
      fc.property(events, fc.option(events), (event, link) => {
        const recorded = recordedOf(event);
        const read = new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(event.position));
        if (link !== null) read.setLink(recordedOf(link));
        const bytes = bytesOf(new ReadResp().setEvent(read));
        const expected = convertGrpcRecord(recorded);
        expect(readAnswer(event.unknown ? Buffer.concat([unknownFields, bytes]) : bytes)).toEqual({
          kind: 'event',
          stream: expected.streamId,
          revision: Number(expected.revision),
          position: Number(expected.position?.commit),
          id: expected.id,
          type: event.system['type'] ?? '',
          isJson: expected.isJson,
          data: event.data,
          metadata: event.metadata,
        });
      }),
    );
  });

  it('may be word of how far the server has looked', () => {
    fc.assert(
      fc.property(integers, (position) => {
        const checkpoint = new ReadResp.Checkpoint();
        checkpoint.setCommitPosition(String(position));
        checkpoint.setPreparePosition(String(position));
        const bytes = bytesOf(new ReadResp().setCheckpoint(checkpoint));
        expect(readAnswer(bytes)).toEqual({ kind: 'checkpoint', position });
      }),
    );
  });

  it.each([
    ['a confirmation', new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId('1'))],
    ['that all is read', new ReadResp().setCaughtUp(new ReadResp.CaughtUp())],
    ['the last position', new ReadResp().setLastStreamPosition('7')],
    ['a link to what is gone', new ReadResp().setEvent(new ReadResp.ReadEvent().setNoPosition(new Empty()))],
    ['nothing', new ReadResp()],
  ])('brings nothing with %s', (_, answer) => {
    expect(readAnswer(bytesOf(answer))).toEqual({ kind: 'nothing' });
  });

  it('says that there is no such stream', () => {
    const missing = new ReadResp.StreamNotFound().setStreamIdentifier(identifierOf('a'));
    expect(readAnswer(bytesOf(new ReadResp().setStreamNotFound(missing)))).toEqual({ kind: 'missing' });
  });

  it('is no answer when it ends too early', () => {
    fc.assert(
      fc.property(events, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (event, part) => {
        const bytes = bytesOf(new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recordedOf(event))));
        const length = 1 + Math.floor(part * (bytes.length - 1));
        expect(() => readAnswer(bytes.subarray(0, length))).toThrow(RangeError);
      }),
    );
  });

  it('is no answer, or one, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          expect(readAnswer(Buffer.from(bytes)).kind).toEqual(expect.any(String));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

describe('an answer to an append', () => {
  it('names the append, and where its last event lies', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.constantFrom('text', 'structured'),
        integers,
        integers,
        (id, form, revision, commit) => {
          const place = new AllStreamPosition().setCommitPosition(String(commit)).setPreparePosition(String(commit));
          const success = new BatchAppendResp.Success().setCurrentRevision(String(revision)).setPosition(place);
          const answer = new BatchAppendResp().setCorrelationId(uuidOf(id, form)).setSuccess(success);
          answer.setStreamIdentifier(identifierOf('a')).setNoStream(new Empty());
          const expected = { correlationId: id, place: { revision, position: commit } };
          expect(appendAnswer(bytesOf(answer))).toEqual(expected);
        },
      ),
    );
  });

  it('knows the id in capitals', () => {
    const answer = new BatchAppendResp().setCorrelationId(uuidOf('8F0E1D2C-3B4A-4958-8776-0123456789AB', 'text'));
    expect(appendAnswer(bytesOf(answer)).correlationId).toBe('8f0e1d2c-3b4a-4958-8776-0123456789ab');
  });

  it('has no place where the append was refused, or had no event', () => {
    const none = new BatchAppendResp.Success().setNoStream(new Empty()).setNoPosition(new Empty());
    expect(appendAnswer(bytesOf(new BatchAppendResp().setSuccess(none)))).toEqual({
      correlationId: '',
      place: { revision: 0, position: 0 },
    });
    expect(appendAnswer(bytesOf(new BatchAppendResp()))).toEqual({ correlationId: '', place: null });
  });
});
