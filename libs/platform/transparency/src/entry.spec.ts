import { utf8 } from './bytes';
import { bundleOf, entriesIn, entryBytes, parseEntry } from './entry';

const entry = {
  stream: 'conversation-é',
  revision: 3,
  id: '0190a000-0000-7000-8000-000000000001',
  type: 'run.started',
  dataSha256: 'a'.repeat(64),
  metadataSha256: 'b'.repeat(64),
};
const bytes = entryBytes(entry);
const text = new TextDecoder().decode(bytes);

it('reads an entry back', () => expect(parseEntry(bytes)).toEqual(entry));

it.each([
  ['another order of members', text.replace(/^\{("dataSha256":"a+"),(.*)\}$/, '{$2,$1}')],
  ['a space', text.replace(',', ', ')],
  ['a member more', text.replace('{', '{"a":1,')],
  ['a member less', text.replace(/,"type":"[^"]+"/, '')],
  ['a revision that is none', text.replace('"revision":3', '"revision":-3')],
  ['a hash that is none', text.replace('aaaa', 'AAAA')],
  ['no JSON', text.slice(1)],
])('reads none with %s', (_, other) => {
  expect(other).not.toBe(text);
  expect(parseEntry(utf8(other))).toBeNull();
});

it('reads none that is no UTF-8', () => expect(parseEntry(Uint8Array.of(0xff, ...bytes))).toBeNull());

it('reads a bundle back, and none that is cut', () => {
  const bundle = bundleOf([bytes, utf8('{}')]);
  expect(entriesIn(bundle)).toEqual([bytes, utf8('{}')]);
  expect(entriesIn(bundle.subarray(0, bundle.length - 1))).toBeNull();
});
