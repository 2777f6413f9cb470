import { ProtobufReader } from './protobuf-reader';
import { varintField } from './protobuf-writer';
import { appendRequests } from './append-request';

it.each([NaN, Infinity, -1, 1.5, 1e50])('%d is no varint', (value) => {
  expect(() => varintField(8, value)).toThrow(RangeError);
});

it('an append that expects no number at all is not an append at the first revision', () => {
  expect(() => appendRequests('6f7a3c1e-0000-4000-8000-000000000001', 's', [], NaN, Infinity)).toThrow(RangeError);
});

it.each([0, 127, 128, 2 ** 32, Number.MAX_SAFE_INTEGER, 2 ** 60])('%d is one', (value) => {
  const reader = new ProtobufReader(varintField(8, value));
  expect([reader.tag(), reader.varint(), reader.tag()]).toEqual([8, value, 0]);
});
