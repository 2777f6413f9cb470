import { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { encodeBatchRefused, messagesIn, readStreamName } from '@app/event-store-wire';
import { batchStatusOf, statusOf } from './errors';

test('the answer of a batch stream to an append that came too late', () => {
  const status = batchStatusOf({ kind: 'timeout' });
  const frame = encodeBatchRefused('6f7a3c1e-0000-4000-8000-000000000001', 's', status);
  const [message = Buffer.alloc(0), ...others] = messagesIn(frame);
  expect(others).toEqual([]);
  const refused = BatchAppendResp.deserializeBinary(message);
  expect(refused.getError()?.getDetails()?.getTypeName()).toBe('event_store.client.Timeout');
  expect(readStreamName(refused.getStreamIdentifier())).toBe('s');
});

test('a status quotes so much of a request as fits into a header, in whole characters', () => {
  const { details } = statusOf({ kind: 'bad-request', message: `not a UUID: ${'\u{1f600}'.repeat(1_000_000)}` });
  expect(details).toMatch(/^not a UUID: \u{1f600}/u);
  expect(encodeURI(details ?? '').length).toBeLessThan(16 * 1_024);
});
