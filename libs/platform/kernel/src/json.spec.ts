import fc from 'fast-check';
import { codePointLength, isBoundedJson, isJsonObject, pointerTo, type JsonValue } from './json';

describe('codePointLength', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['👍', 1],
    ['a👍🏽b', 4],
    ['👨‍👩‍👧', 5],
    ['\ud83d', 1],
    ['\ud83dx', 2],
    ['\ud83d\ud83d\udc4d', 2],
    ['\udc4d\ud83d', 2],
  ])('of %j is %i', (text, length) => expect(codePointLength(text)).toBe(length));

  it('is the number of code points of any text, lone surrogates included', () => {
    const anyText = fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', '\udc4d', '👍')), { maxLength: 20 })
      .map((parts) => parts.join(''));
    fc.assert(fc.property(anyText, (text) => codePointLength(text) === [...text].length));
  });
});

describe('pointerTo', () => {
  it('names members and indexes as RFC 6901 does', () => {
    expect(pointerTo()).toBe('');
    expect(pointerTo('input', 'artifactIds', 0)).toBe('/input/artifactIds/0');
    expect(pointerTo('')).toBe('/');
    expect(pointerTo('a/b', 'm~n', '~1')).toBe('/a~1b/m~0n/~01');
  });

  it('can be read back', () => {
    const tokens = fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') }), { minLength: 1 });
    const read = (pointer: string) =>
      pointer
        .slice(1)
        .split('/')
        .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    fc.assert(fc.property(tokens, (path) => expect(read(pointerTo(...path))).toEqual(path)));
  });
});

describe('isJsonObject', () => {
  it('is true of objects only', () => {
    expect([{}, { a: null }].every(isJsonObject)).toBe(true);
    expect([null, undefined, [], [{}], '{}', 1, true].some(isJsonObject)).toBe(false);
  });
});

describe('isBoundedJson', () => {
  const nested = (levels: number): JsonValue => (levels === 0 ? 'x' : { in: nested(levels - 1) });
  const list = (length: number): JsonValue => Array.from({ length }, () => 0);

  it.each<[string, unknown, boolean]>([
    ['a value without levels', 1.5, true],
    ['what is no JSON', [undefined], false],
    ['what JSON cannot spell', { a: Infinity }, false],
    ['8 levels', nested(8), true],
    ['9 levels', nested(9), false],
    ['256 items', list(256), true],
    ['257 items', list(257), false],
    ['256 entries of lists and objects together', { a: list(127), b: [{ c: list(125) }] }, true],
    ['257 entries of lists and objects together', { a: list(127), b: [{ c: list(126) }] }, false],
    ['16 KiB as serialized', 'x'.repeat(16 * 1024 - 2), true],
    ['a byte more', 'x'.repeat(16 * 1024 - 1), false],
    ['16 KiB of letters of two bytes', 'é'.repeat(8 * 1024 - 1), true],
    ['a letter more', 'é'.repeat(8 * 1024), false],
  ])('lets through %s: %#', (_, value, passes) => expect(isBoundedJson(value)).toBe(passes));
});
