import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { digestOf, intentHashOf, publicKeyText, signPayload } from './nep413';

/** A signed intent with its hash, from the tests of NEAR Intents' own SDK. */
const known = {
  payload: {
    recipient: 'intents.near',
    nonce: 'Bw6gXE7I/iTjzSRraN/TOZRPFr/8E4Y19NI7f4pj7Js=',
    message:
      '{"deadline":"2025-07-30T13:01:54.991Z","intents":[],"signer_id":"d3b7f5e2041835a9329d9ab0fcf29685a63f40f43ae92b31808529b39da19743"}',
  },
  publicKey: 'FFTikSK68qzR3tbsWgvm4pZQExb1SmaLzf9Q8EGQ5X9C',
  signature: '2NL2GDuo1YRBbknqZ8AP7dVHusZuNLn5pDk2ikDag9cnJgnqR2xk46inN3WwG5bn6ahm8rBevVqnxQc5waNS8DwK',
  intentHash: '9gsq212UbkVifADMGC3Mdj7Gdhy7W7bw9ipnCqMtap5C',
};
/** DER of an Ed25519 public key (RFC 8410), up to its 32 bytes. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

function verified(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([spkiPrefix, publicKey]), format: 'der', type: 'spki' });
  return verify(null, digest, key, signature);
}

describe('messages signed off-chain', () => {
  it('are hashed as NEAR Intents hashes them', () => {
    expect(intentHashOf(known.payload)).toBe(known.intentHash);
  });

  it('are signed over that hash', () => {
    const [key, signature] = [base58.decode(known.publicKey), base58.decode(known.signature)];
    expect(verified(key, digestOf(known.payload), signature)).toBe(true);
    const other = { ...known.payload, recipient: 'intents.neat' };
    expect(verified(key, digestOf(other), signature)).toBe(false);
  });

  it('are laid out in Borsh behind the tag of NEP-413, lengths in bytes', () => {
    const nonce = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
    const layout = [
      '9d010080', // 2^31 + 413, little-endian
      '03000000', // "hé" is three bytes of UTF-8
      '68c3a9',
      nonce.toString('hex'),
      '04000000',
      '6e656172', // "near"
      '00', // no callback
    ];
    const digest = createHash('sha256')
      .update(Buffer.from(layout.join(''), 'hex'))
      .digest();
    const payload = { message: 'hé', nonce: nonce.toString('base64'), recipient: 'near' };
    expect(digestOf(payload)).toEqual(Uint8Array.from(digest));
  });

  it('carry key and signature in base58', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const hex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const data = await signPayload(known.payload, hex, (bytes) => Promise.resolve(sign(null, bytes, privateKey)));
    expect(data).toMatchObject({ standard: 'nep413', payload: known.payload, public_key: publicKeyText(hex) });
    const [curve, signature = ''] = data.signature.split(':');
    expect(curve).toBe('ed25519');
    expect(verified(Buffer.from(hex, 'hex'), digestOf(known.payload), base58.decode(signature))).toBe(true);
  });

  it('write keys of zeros as base58 does', () => {
    expect(publicKeyText('00'.repeat(32))).toBe(`ed25519:${'1'.repeat(32)}`);
    expect(publicKeyText(`${'00'.repeat(31)}3a`)).toBe(`ed25519:${'1'.repeat(31)}21`);
  });
});
