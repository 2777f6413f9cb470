/** Encoding by hand must match the client's own stubs. */
import { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import fc from 'fast-check';
import { sentUuid } from './generated-messages';
import { messagesIn } from './grpc-frame';
import { encodeCheckpoint, encodeConfirmation, encodeResolved, encodeStreamNotFound, frameEvent } from './read-answer';
import { TOMBSTONE_REVISION, TOMBSTONE_REVISION_EXACT } from './protobuf-writer';
import type { RecordedEvent } from './recorded-event';

const numbers = fc.oneof(
  fc.nat(200),
  fc.maxSafeNat(),
  fc.constantFrom(0, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1),
);
const events: fc.Arbitrary<RecordedEvent> = fc.record({
  id: fc.uuid(),
  type: fc.string({ minLength: 1, unit: 'grapheme' }),
  isJson: fc.boolean(),
  data: fc.uint8Array({ maxLength: 300 }),
  metadata: fc.uint8Array({ maxLength: 300 }),
  stream: fc.string({ minLength: 1, unit: 'grapheme' }),
  revision: fc.oneof(numbers, fc.constant(TOMBSTONE_REVISION)),
  position: numbers,
  createdMs: fc.nat(4_000_000_000_000),
});

/** Decodes the only message of a frame. */
function decode(frame: Buffer): ReadResp {
  const [message = Buffer.alloc(0), ...others] = messagesIn(frame);
  expect(others).toEqual([]);
  return ReadResp.deserializeBinary(message);
}

function expectRecorded(bytes: Buffer, expected: RecordedEvent, which: 'event' | 'link' = 'event'): void {
  const read = decode(bytes).getEvent();
  const recorded = which === 'event' ? read?.getEvent() : read?.getLink();
  if (!recorded) throw new Error(`no ${which} was encoded`);
  const text = (value: Uint8Array | undefined): string => Buffer.from(value ?? []).toString('utf8');
  expect(sentUuid(recorded.getId())).toBe(expected.id);
  expect(text(recorded.getStreamIdentifier()?.getStreamName_asU8())).toBe(expected.stream);
  const revision = expected.revision === TOMBSTONE_REVISION ? TOMBSTONE_REVISION_EXACT : expected.revision;
  expect(recorded.getStreamRevision()).toBe(revision.toString());
  expect(recorded.getCommitPosition()).toBe(expected.position.toString());
  expect(recorded.getPreparePosition()).toBe(expected.position.toString());
  expect(recorded.getMetadataMap().toObject()).toEqual(
    expect.arrayContaining([
      ['type', expected.type],
      ['content-type', expected.isJson ? 'application/json' : 'application/octet-stream'],
      ['created', `${BigInt(expected.createdMs) * 10_000n}`],
    ]),
  );
  expect(Buffer.from(recorded.getData_asU8())).toEqual(Buffer.from(expected.data));
  expect(Buffer.from(recorded.getCustomMetadata_asU8())).toEqual(Buffer.from(expected.metadata));
}

test('a frame is the event, and its data and metadata are views of it', () => {
  fc.assert(
    fc.property(events, (event) => {
      const framed = frameEvent(event);
      expectRecorded(framed.frame, event);
      expect(Buffer.from(framed.data)).toEqual(Buffer.from(event.data));
      expect(Buffer.from(framed.metadata)).toEqual(Buffer.from(event.metadata));
      if (event.data.length > 0) expect(framed.data.buffer).toBe(framed.frame.buffer);
      expect(decode(framed.frame).getEvent()?.getCommitPosition()).toBe(event.position.toString());
    }),
  );
});

test('event and link, in both forms of UUID', () => {
  fc.assert(
    fc.property(events, events, fc.constantFrom('string', 'structured'), (event, link, form) => {
      const bytes = encodeResolved(event, link, form);
      expectRecorded(bytes, event);
      expectRecorded(bytes, link, 'link');
      const id = decode(bytes).getEvent()?.getEvent()?.getId();
      expect(id?.hasStructured()).toBe(form === 'structured');
      expect(
        decode(encodeResolved(undefined, link, form))
          .getEvent()
          ?.hasEvent(),
      ).toBe(false);
    }),
  );
});

test('confirmation, checkpoint and missing stream', () => {
  expect(decode(encodeConfirmation('id')).getConfirmation()?.getSubscriptionId()).toBe('id');
  const checkpoint = decode(encodeCheckpoint(2 ** 40)).getCheckpoint();
  expect([checkpoint?.getCommitPosition(), checkpoint?.getPreparePosition()]).toEqual([`${2 ** 40}`, `${2 ** 40}`]);
  const missing = decode(encodeStreamNotFound('gone')).getStreamNotFound();
  expect(Buffer.from(missing?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe('gone');
});
