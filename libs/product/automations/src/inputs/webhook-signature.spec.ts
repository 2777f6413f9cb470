import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { isSignedWith } from './webhook-signature';

const secret = randomBytes(32);
const body = Buffer.from('{"id":"order-1","text":"é"}');
const seconds = () => Math.floor(Date.now() / 1000);

function signed(change: { readonly id?: string; readonly timestamp?: string } = {}) {
  const { id = 'msg_1', timestamp = String(seconds()) } = change;
  const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
}

describe('a signature', () => {
  it('is good for the secret, the id, the timestamp and the body that it was made with', () => {
    expect(isSignedWith(secret, signed(), body)).toBe(true);
    expect(isSignedWith(randomBytes(32), signed(), body)).toBe(false);
    expect(isSignedWith(secret, { ...signed(), 'webhook-id': 'msg_2' }, body)).toBe(false);
    expect(isSignedWith(secret, { ...signed(), 'webhook-timestamp': String(seconds() - 1) }, body)).toBe(false);
    expect(isSignedWith(secret, signed(), Buffer.concat([body, Buffer.from(' ')]))).toBe(false);
  });

  it('is good for 5 minutes around real time', () => {
    const around = (ago: number) => isSignedWith(secret, signed({ timestamp: String(seconds() - ago) }), body);
    expect([around(290), around(-290), around(301), around(-310)]).toEqual([true, true, false, false]);
  });

  it.each(['', ' ', 'msg.1', 'x'.repeat(65), 'é', 'a b'])('has an id without ambiguity, which %j has not', (id) =>
    expect(isSignedWith(secret, signed({ id }), body)).toBe(false),
  );

  it.each(['', '0', '-1', '1e9', ' 1', '9'.repeat(13)])('has a timestamp in seconds, which %j is not', (timestamp) =>
    expect(isSignedWith(secret, signed({ timestamp }), body)).toBe(false),
  );

  it('is no header that is missing, or given twice', () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(isSignedWith(secret, { ...signed(), [name]: undefined }, body)).toBe(false);
    expect(isSignedWith(secret, { ...signed(), 'webhook-id': ['msg_1', 'msg_1'] }, body)).toBe(false);
  });

  it('is never any other text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.base64String().map((mac) => `v1,${mac}`),
    );
    fc.assert(
      fc.property(text, (signature) => !isSignedWith(secret, { ...signed(), 'webhook-signature': signature }, body)),
    );
  });
});
