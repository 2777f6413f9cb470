import { parseUuid } from './ids';

const withVersion = (digit: string) => `0190a3c4-1b2d-${digit}abc-8def-0123456789ab`;
const withVariant = (digit: string) => `0190a3c4-1b2d-7abc-${digit}def-0123456789ab`;

describe('parseUuid', () => {
  it.each([...'12345678'])('takes version %s', (version) => {
    expect(parseUuid(withVersion(version))).toBe(withVersion(version));
  });

  it.each([...'09abcdef'])('refuses version %s', (version) => expect(parseUuid(withVersion(version))).toBeNull());

  it.each([...'89ab'])('takes variant %s', (variant) => {
    expect(parseUuid(withVariant(variant))).toBe(withVariant(variant));
  });

  it.each([...'01234567cdef'])('refuses variant %s', (variant) => expect(parseUuid(withVariant(variant))).toBeNull());

  it.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])('takes %s', (edge) => {
    expect(parseUuid(edge)).toBe(edge);
  });

  it('takes either case and answers in lower case', () => {
    expect(parseUuid(withVersion('7').toUpperCase())).toBe(withVersion('7'));
    expect(parseUuid('FFFFFFFF-FFFF-ffff-FFFF-FFFFFFFFFFFF')).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  });

  it.each([
    '',
    '00000000-0000-0000-0000-000000000001',
    withVersion('7').replaceAll('-', ''),
    `{${withVersion('7')}}`,
    `urn:uuid:${withVersion('7')}`,
    ` ${withVersion('7')}`,
    `${withVersion('7')}\n`,
    withVersion('7').replace('a', 'g'),
    // Letters of other scripts that resemble hexadecimal digits.
    withVersion('7').replace('a', '\u0430'),
    withVersion('7').replace('0', '\uff10'),
  ])('refuses %j', (text) => expect(parseUuid(text)).toBeNull());

  it.each([undefined, null, 7, ['0190a3c4-1b2d-7abc-8def-0123456789ab'], {}])(
    'refuses %j, which is no text',
    (value) => {
      expect(parseUuid(value)).toBeNull();
    },
  );
});
