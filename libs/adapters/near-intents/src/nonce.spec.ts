import { createHash } from 'node:crypto';
import { decodeNonce, encodeNonce, tailOf } from './nonce';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

describe('nonces', () => {
  it('are laid out as the contract reads them', () => {
    const nonce = encodeNonce({ salt: bytes('252812b3'), expiresAtMs: 2_000, tail: bytes('22'.repeat(15)) });
    const layout = ['5628f6c6', '00', '252812b3', '0094357700000000', '22'.repeat(15)];
    expect(Buffer.from(nonce).toString('hex')).toBe(layout.join(''));
  });

  it('begin with the first bytes of a digest that marks versioned nonces', () => {
    const mark = createHash('sha256').update('versioned_nonce').digest().subarray(0, 4);
    expect(encodeNonce({ salt: bytes('00000000'), expiresAtMs: 0, tail: tailOf('') }).subarray(0, 4)).toEqual(
      Uint8Array.from(mark),
    );
  });

  it('are read back', () => {
    const nonce = { salt: bytes('01020304'), expiresAtMs: Date.UTC(2026, 10, 21), tail: tailOf('some/0/1') };
    expect(decodeNonce(encodeNonce(nonce))).toEqual(nonce);
  });

  it('read one that another implementation made', () => {
    const base64 = 'Vij2xgAlKBKzADZykFdbpB8CcBXsE9wRhklzE4/mgS8=';
    const nonce = decodeNonce(Buffer.from(base64, 'base64'));
    expect(nonce).toMatchObject({ salt: bytes('252812b3'), tail: bytes('027015ec13dc11864973138fe6812f') });
    expect(Buffer.from(encodeNonce(nonce!)).toString('base64')).toBe(base64);
  });

  it('of the old kind, or of another length, are none', () => {
    expect(decodeNonce(Buffer.alloc(32))).toBeNull();
    expect(decodeNonce(Buffer.from('5628f6c601'.padEnd(64, '0'), 'hex'))).toBeNull();
    expect(decodeNonce(Buffer.from('5628f6c600', 'hex'))).toBeNull();
    expect(decodeNonce(new Uint8Array())).toBeNull();
  });

  it('end in what only the key of their submission decides', () => {
    expect(tailOf('a/0/1')).toEqual(tailOf('a/0/1'));
    const tails = ['a/0/1', 'a/0/2', 'a/1/1', 'b/0/1'].map((key) => Buffer.from(tailOf(key)).toString('hex'));
    expect(new Set(tails).size).toBe(tails.length);
    expect(tails.every((tail) => tail.length === 30)).toBe(true);
  });
});
