import { parseStreamMetadata, reopenedMetadata, SOFT_DELETED_METADATA } from './stream-metadata';

const parse = (text: string): ReturnType<typeof parseStreamMetadata> => parseStreamMetadata(Buffer.from(text));

test.each([
  ['{"$maxCount":3,"$maxAge":60,"$tb":7}', { maxCount: 3, maxAgeMs: 60_000, truncateBefore: 7, softDeleted: false }],
  ['{}', { maxCount: undefined, maxAgeMs: undefined, truncateBefore: 0, softDeleted: false }],
  ['{"$tb":9223372036854775807}', { softDeleted: true }],
  ['{"own":{"$tb":5},"$tb": 9223372036854775807}', { softDeleted: true }],
  ['{"$tb":9223372036854775806}', { softDeleted: false }],
  ['{"$tb":-1,"$maxCount":0,"$maxAge":"x"}', { truncateBefore: 0, maxCount: undefined, maxAgeMs: undefined }],
  ['{"$maxCount":1.5,"$maxAge":0.0001}', { maxCount: undefined, maxAgeMs: undefined }],
  ['[1]', { softDeleted: false, truncateBefore: 0 }],
  ['not json', { softDeleted: false, truncateBefore: 0 }],
])('reads %s', (text, expected) => {
  expect(parse(text)).toMatchObject(expected);
});

test('a soft delete keeps no field, and its undoing every other one', () => {
  expect(SOFT_DELETED_METADATA.toString()).toBe('{"$tb":9223372036854775807}');
  expect(parseStreamMetadata(SOFT_DELETED_METADATA).softDeleted).toBe(true);
  expect(reopenedMetadata(parseStreamMetadata(SOFT_DELETED_METADATA), 5).toString()).toBe('{"$tb":5}');
  expect(reopenedMetadata(parse('{"$maxCount":3,"$tb":1,"own":[1]}'), 5).toString()).toBe(
    '{"$maxCount":3,"$tb":5,"own":[1]}',
  );
});
