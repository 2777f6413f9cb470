import { UUID } from '@eventstore/db-client/generated/shared_pb';
import { uuidOf } from './append-request';

describe('the id of an answer', () => {
  const text = '8f0e1d2c-3b4a-4958-8776-0123456789ab';

  it('is the same in both forms', () => {
    const bits = new UUID.Structured();
    bits.setMostSignificantBits(BigInt.asIntN(64, 0x8f0e1d2c3b4a4958n).toString());
    bits.setLeastSignificantBits(BigInt.asIntN(64, 0x87760123456789abn).toString());
    expect(uuidOf(new UUID().setStructured(bits))).toBe(text);
    expect(uuidOf(new UUID().setString(text.toUpperCase()))).toBe(text);
  });

  it('is nothing where there is none', () => {
    expect(uuidOf(undefined)).toBe('');
  });
});
