/** Every media type that an upload may declare can be sent by the download: the writers of headers accept it. And which are read as text. */
import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { declaredMediaType, textFormatOf } from './media-type';

const piece = fc.oneof(
  fc.constantFrom(
    'text',
    'plain',
    '/',
    ';',
    ' ',
    '=',
    '"',
    '\\',
    '\\"',
    'charset',
    'utf-8',
    '\r\n',
    '\0',
    'é',
    '\u2028',
    '*',
    '\t',
    '\x7f',
  ),
  fc.string({ maxLength: 6 }),
);
const given = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.array(piece, { maxLength: 8 }).map((parts) => `text/plain; name="${parts.join('')}"`),
);

it('is sent as it was declared, by Node and as fetch reads it', () => {
  let accepted = 0;
  fc.assert(
    fc.property(given, (text) => {
      const read = declaredMediaType(text);
      if (!read.ok) return;
      accepted += 1;
      validateHeaderValue('content-type', read.value);
      expect(new Headers({ 'content-type': read.value }).get('content-type')).toBe(read.value);
    }),
    { numRuns: 3_000, seed: 25 },
  );
  expect(accepted).toBeGreaterThan(300);
});

it.each([
  ['application/octet-stream', 'notes.md', 'text'],
  ['application/octet-stream', 'bill.PDF', 'pdf'],
  ['application/PDF; version=2', 'bill', 'pdf'],
  ['application/json', 'bill.pdf', 'text'],
  ['application/zip', 'notes.md', null],
  // A name of what every object has.
  ['application/octet-stream', 'a.constructor', null],
])('%s named %s is read as %s', (mediaType, name, format) => {
  expect(textFormatOf(mediaType, name)).toBe(format);
});
