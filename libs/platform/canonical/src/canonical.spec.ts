import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { canonicalText, fingerprintOf, hmacSha256Hex, sha256Hex } from './canonical';

describe('canonicalText', () => {
  it('sorts members by UTF-16 code units, at every level, and leaves out white space', () => {
    const value = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\u{1f600}': 5,
      '\u0080': 6,
      '\u00f6': { b: [], a: {} },
    };
    expect(Object.keys(JSON.parse(canonicalText(value)) as object)).toHaveLength(7);
    expect(canonicalText(value)).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":{"a":{},"b":[]},"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    );
  });

  it('spells numbers as ECMAScript does, and escapes no more than it must (RFC 8785, section 3.2)', () => {
    const value = { numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, -0, 1e21], text: '€$\u000f\nA\'B"\\\\"/' };
    expect(canonicalText(value)).toBe(
      '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21],"text":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('is one text for one value, whatever the order of members', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).reverse();
      return Object.fromEntries(entries.map(([name, member]) => [name, reversed(member)]));
    };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = canonicalText(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalText(reversed(value) as object)).toBe(text);
      }),
    );
  });

  it('keeps what is no Unicode text apart', () => {
    expect(new Set(['\ud800', '\udc00', '\ufffd', '\\ud800'].map((text) => canonicalText([text]))).size).toBe(4);
  });

  it('refuses what is not JSON', () => {
    for (const value of [[NaN], { a: Infinity }]) expect(() => canonicalText(value)).toThrow();
    expect(() => canonicalText(() => undefined)).toThrow(TypeError);
  });
});

describe('sha256Hex', () => {
  it('hashes UTF-8', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('€')).toBe(sha256Hex(Buffer.from([0xe2, 0x82, 0xac])));
  });
});

describe('fingerprintOf', () => {
  it('is the hash of the canonical form', () => {
    const digest = createHash('sha256').update('{"a":"ö","b":[1,null]}', 'utf8').digest('hex');
    expect(fingerprintOf({ b: [1, null], a: 'ö' })).toBe(`sha256:${digest}`);
  });
});

describe('hmacSha256Hex', () => {
  it('is HMAC-SHA256, for every key of up to a block and every content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.uint8Array({ maxLength: 300 }), (key, content) => {
        expect(hmacSha256Hex(key, content)).toBe(createHmac('sha256', key).update(content).digest('hex'));
      }),
    );
    // RFC 4231, test case 1.
    expect(hmacSha256Hex(new Uint8Array(20).fill(0x0b), new TextEncoder().encode('Hi There'))).toBe(
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    );
  });

  it('refuses a key that it would have to hash first', () => {
    expect(() => hmacSha256Hex(new Uint8Array(65), new Uint8Array())).toThrow(RangeError);
  });
});
