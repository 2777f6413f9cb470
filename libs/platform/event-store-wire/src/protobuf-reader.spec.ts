import { ProtobufReader } from './protobuf-reader';
import { varintField } from './protobuf-writer';

const [start, end] = [(5 << 3) | 3, (5 << 3) | 4];

/** The number of field 1, behind these bytes, of which nothing is known. */
function behind(...unknown: number[]): number {
  const reader = new ProtobufReader(Buffer.concat([Buffer.from(unknown), varintField(8, 7)]));
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 8) return reader.varint();
    reader.skip(tag);
  }
  throw new Error('field 1 was skipped');
}

it('skips groups, nested ones as well', () => {
  expect(behind(start, end)).toBe(7);
  expect(behind(start, 8, 1, start, 8, 2, end, 8, 3, end)).toBe(7);
});

it.each([
  ['that does not end', [start]],
  ['that another one ends', [start, end + 8]],
  ['that never began', [end]],
  ['nested too deeply', [...Array<number>(200).fill(start), ...Array<number>(200).fill(end)]],
])('refuses a group %s', (_, bytes) => {
  expect(() => behind(...bytes)).toThrow(new RangeError('not a message of the protocol'));
});
