import fc from 'fast-check';
import type { JsonValue, Sealed } from '@app/kernel';
import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { isSealedValue, openValue, placeOf, revealValue, sealValue, type Place } from './sealed-text';

const key = randomBytes(32);
const place: Place = { keyId: 'u/ada', eventId: '019a3c61-0b10-7e44-9a5b-2f7c8d1e6a01', path: 'definition/name' };
const form = (sealed: Sealed) => sealed.sealed.split(':');
const bytesIn = (sealed: Sealed) => Buffer.from(form(sealed).at(-1) ?? '', 'base64url');
function withBytes(sealed: Sealed, bytes: Buffer): Sealed {
  return { sealed: [...form(sealed).slice(0, -1), bytes.toString('base64url')].join(':') };
}

it('opens to what was sealed, whatever it was, and says where it belongs', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const sealed = sealValue(key, place, value as JsonValue);
      expect(openValue(key, sealed)).toEqual(JSON.parse(JSON.stringify(value)));
      expect([placeOf(sealed), isSealedValue(sealed)]).toEqual([place, true]);
    }),
  );
});

it('shows nothing of the words, and no two ciphertexts are equal', () => {
  const [one, other] = [sealValue(key, place, 'a word'), sealValue(key, place, 'a word')];
  expect(bytesIn(one).subarray(60)).not.toEqual(bytesIn(other).subarray(60));
  expect(Buffer.from(one.sealed).includes('a word')).toBe(false);
  // The commitment is of the words under a derived key, so the same words at the same place have the same one.
  expect(bytesIn(one).subarray(28, 60)).toEqual(bytesIn(other).subarray(28, 60));
});

it('opens under no other key, at no other place, and not once a byte has changed', () => {
  const sealed = sealValue(key, place, { text: 'price of NEAR' });
  expect(() => openValue(randomBytes(32), sealed)).toThrow();
  const [version, keyId, eventId, path, bytes] = form(sealed);
  for (const moved of [
    [version, 'u/eve', eventId, path, bytes],
    [version, keyId, '019a3c61-0b10-7e44-9a5b-2f7c8d1e6a02', path, bytes],
    [version, keyId, eventId, 'definition/prompt', bytes],
    ['2', keyId, eventId, path, bytes],
  ])
    expect(() => openValue(key, { sealed: moved.join(':') })).toThrow();
  const whole = bytesIn(sealed);
  for (let n = 0; n < whole.length; n += 1) {
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(n) ^ 1, n);
    expect(() => openValue(key, withBytes(sealed, changed))).toThrow();
  }
  for (const length of [0, 59, whole.length - 1])
    expect(() => openValue(key, withBytes(sealed, whole.subarray(0, length)))).toThrow();
});

it('what is revealed of one value proves its words by the commitment, and nothing of another value', () => {
  const sealed = sealValue(key, place, 'yes');
  const { plain, commitKey } = revealValue(key, sealed);
  expect(String(plain)).toBe('"yes"');
  const under = (of: Uint8Array) => createHmac('sha256', of).update(plain).digest();
  expect(under(commitKey)).toEqual(bytesIn(sealed).subarray(28, 60));
  for (const other of [
    { ...place, path: 'title' },
    { ...place, eventId: 'another' },
    { ...place, keyId: 'u/eve' },
  ]) {
    const moved = sealValue(other.keyId === place.keyId ? key : randomBytes(32), other, 'yes');
    expect(under(commitKey)).not.toEqual(bytesIn(moved).subarray(28, 60));
  }
});

it('is under keys of HKDF-SHA-512, and a plaintext that is not the one committed to is not revealed', () => {
  const info = `parley/value/1/${place.eventId}:${place.path}`;
  const keys = Buffer.from(hkdfSync('sha512', key, 'parley/stream/1', info, 64));
  const [nonce, plain] = [randomBytes(12), Buffer.from('"yes"')];
  const sealedWith = (committed: string): Sealed => {
    const commitment = createHmac('sha256', keys.subarray(32)).update(committed).digest();
    const bound = Buffer.concat([Buffer.from(`1:${place.keyId}:${place.eventId}:${place.path}:`), commitment]);
    const cipher = createCipheriv('aes-256-gcm', keys.subarray(0, 32), nonce).setAAD(bound);
    const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
    const bytes = Buffer.concat([nonce, cipher.getAuthTag(), commitment, ciphertext]);
    return { sealed: `1:${place.keyId}:${place.eventId}:${place.path}:${bytes.toString('base64url')}` };
  };
  expect(String(revealValue(key, sealedWith('"yes"')).plain)).toBe('"yes"');
  expect(() => revealValue(key, sealedWith('"no"'))).toThrow('commits to');
});

it('a text of another form is not taken for a sealed value', () => {
  for (const value of [null, 'sealed', { sealed: 'x' }, { sealed: 1 }, { sealed: '1:a:b:c:', more: 1 }, ['1:a:b:c:d']])
    expect(isSealedValue(value)).toBe(false);
});

it('whatever is taken for a sealed value says where it belongs, however much is cut off', () => {
  const { sealed } = sealValue(key, place, 'yes');
  for (let length = 0; length <= sealed.length; length += 1) {
    const cut = { sealed: sealed.slice(0, length) };
    if (isSealedValue(cut)) expect(placeOf(cut)).toEqual(place);
  }
});
