import fc from 'fast-check';
import { isHeldExactly } from './exact-number';
import { parseStrictJson } from './strict-json';

const parse = (text: string) => parseStrictJson(Buffer.from(text, 'utf8'));
const pathsOf = (text: string) => {
  const result = parse(text);
  if (result.ok) return [];
  return result.refusal.kind === 'invalid_input' ? result.refusal.issues.map((issue) => issue.path) : ['?'];
};

describe('strict JSON', () => {
  it('takes what I-JSON takes, unchanged', () => {
    for (const text of [
      '{}',
      ' {"a":[1,2.5,-0,1e3,1.0,0.1,"\\u00e9😀",null,true,{"a":{}}],"b":"\\ud83d\\ude00"} ',
      '[]',
      'null',
    ]) {
      const result = parse(text);
      expect(result).toEqual({ ok: true, value: JSON.parse(text) });
    }
  });

  it.each([
    ['{"a":1,"a":2}', ['/a']],
    ['{"a":1,"\\u0061":2}', ['/a']],
    ['{"x":[{"b/c":1,"b/c":1,"~":0,"~":0}]}', ['/x/0/b~1c', '/x/0/~0']],
    ['{"__proto__":1}', ['']],
    ['{"a":{"\\u005f_proto__":{}}}', ['/a']],
    ['{"a":"\\u0000"}', ['/a']],
    ['{"a\\u0000":1}', ['']],
    ['{"a":["\\ud800"]}', ['/a/0']],
    ['{"\\udc00":1}', ['']],
    ['{"a":9007199254740993,"b":1e400,"c":0.10000000000000000001,"d":1}', ['/a', '/b', '/c']],
    ['{"a":1', ['']],
    ['{"a":1,}', ['']],
    ['{"a":01}', ['']],
    ['/* */{}', ['']],
    ['\ufeff\ufeff{}', ['']],
    ['\ufeff', ['']],
    ['{}\ufeff', ['']],
    ['', ['']],
    ['['.repeat(33) + ']'.repeat(33), ['']],
    ['['.repeat(200_000), ['']],
  ])('refuses %.60s', (text, paths) => expect(pathsOf(text)).toEqual(paths));

  it('skips a byte order mark, and keeps one inside of a text', () => {
    expect(parse('\ufeff{"a":"\ufeffb"}')).toEqual({ ok: true, value: { a: '\ufeffb' } });
    expect(pathsOf('\ufeff{"a":1,"a":2}')).toEqual(['/a']);
  });

  it('takes 32 levels', () => expect(pathsOf('['.repeat(32) + ']'.repeat(32))).toEqual([]));

  it('refuses bytes that are no UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      expect(parseStrictJson(Buffer.from(bytes)).ok).toBe(false);
    }
  });

  it('keeps the answer small, however long the names are', () => {
    const inner = Array.from({ length: 500 }, () => '"a":1').join(',');
    const result = parse(`{"${'x'.repeat(100_000)}":{${inner}}}`);
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
  });

  it('agrees with JSON.parse on every value that was serialized', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('__proto__') || /\\u(0000|d[89a-f])/.test(text)) return;
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('never throws, whatever the bytes are', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void parseStrictJson(Buffer.from(bytes))));
    fc.assert(fc.property(fc.stringMatching(/^[{}[\]",:\\u0-9eE+. -]{0,60}$/), (text) => void parse(text)));
  });
});

describe('numbers that a double holds exactly', () => {
  it.each([
    '0',
    '-0',
    '0.0',
    '1',
    '1.0',
    '1e3',
    '1E+3',
    '0.1',
    '100',
    '9007199254740992',
    '1e308',
    '5e-324',
    '-1.50',
    '0e999999999',
  ])('%s is one', (text) => expect(isHeldExactly(text)).toBe(true));
  it.each([
    '9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '0.10000000000000000001',
    '1.00000000000000000001',
    '123456789012345678',
  ])('%s is none', (text) => expect(isHeldExactly(text)).toBe(false));
  it('are all that a double is ever spelled as', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => isHeldExactly(JSON.stringify(value))),
    );
  });
});
