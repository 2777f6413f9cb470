import { instantOf } from '@app/kernel';
import { generateKeyPairSync, sign } from 'node:crypto';
import { signOrder, verifyOrder, type OrderText } from './signed-order';

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const address = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  return { address, sign: (bytes: Uint8Array) => Promise.resolve<Uint8Array>(sign(null, bytes, privateKey)) };
}

const key = newKey();
const order: OrderText = {
  key: 'operation/0/1',
  address: key.address,
  deadline: instantOf(1_800_000_000_000),
  input: { tokenId: 'nep141:wrap.near', amountRaw: '15' },
  target: { kind: 'withdraw', mainAccountId: 'owner' },
};

describe('a signed order', () => {
  it('is what its wallet signed', async () => {
    expect(verifyOrder(await signOrder(order, key.sign), key.address)).toEqual(order);
  });

  it('is the same bytes every time', async () => {
    expect(await signOrder(order, key.sign)).toBe(await signOrder(order, key.sign));
  });

  it('is none once any byte of it has changed', async () => {
    const bytes = Buffer.from(await signOrder(order, key.sign));
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const read = verifyOrder(changed.toString(), key.address);
      // Base64 has spellings that differ only in unused bits.
      if (read !== null) expect(read).toEqual(order);
    }
  });

  it('is none of another wallet, no matter who signed it', async () => {
    const other = newKey();
    expect(verifyOrder(await signOrder(order, key.sign), other.address)).toBeNull();
    expect(verifyOrder(await signOrder(order, other.sign), key.address)).toBeNull();
    expect(verifyOrder(await signOrder(order, other.sign), other.address)).toBeNull();
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '1',
    '{"order":1,"signature":"x"}',
    '{"order":"{}","signature":"x"}',
    '{'.repeat(9_000),
  ])('is not %#', (bytes) => {
    expect(verifyOrder(bytes, key.address)).toBeNull();
    expect(verifyOrder(bytes, 'no address')).toBeNull();
  });
});
