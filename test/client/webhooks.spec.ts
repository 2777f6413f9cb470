import { createHmac, randomBytes } from 'node:crypto';
import { signWebhook, verifyWebhook } from '@parley/client';
import { Webhook } from 'standardwebhooks';

const key = randomBytes(32);
const secret = key.toString('base64url');
const body = '{"id":"order-1","text":"é"}';
const headers = () => signWebhook({ secret, id: 'msg_1', body });
const seconds = () => Math.floor(Date.now() / 1000);

describe('signWebhook', () => {
  it('signs as Standard Webhooks says, with the 32 bytes of the secret', () => {
    const mac = createHmac('sha256', key).update(`msg_1.1700000000.${body}`).digest('base64');
    const signed = signWebhook({ secret, id: 'msg_1', timestamp: 1_700_000_000, body });
    expect(signed).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${mac}`,
    });
    const timestamp = new Date(1_700_000_000_999);
    expect(signWebhook({ secret, id: 'msg_1', timestamp, body: new TextEncoder().encode(body) })).toEqual(signed);
  });

  it.each(['', 'msg.1', 'é', 'a b', 'x'.repeat(65)])('refuses the id %j', (id) =>
    expect(() => signWebhook({ secret, id, body })).toThrow(TypeError),
  );

  it.each(['', 'short', `${secret}x`, `whsec_${key.toString('base64')}`])('refuses the secret %j', (wrong) =>
    expect(() => signWebhook({ secret: wrong, id: 'msg_1', body })).toThrow(TypeError),
  );

  it('refuses a body that is no UTF-8, and a time that is none', () => {
    expect(() => signWebhook({ secret, id: 'msg_1', body: Buffer.from([0xff]) })).toThrow(TypeError);
    expect(() => signWebhook({ secret, id: 'msg_1', timestamp: NaN, body })).toThrow(TypeError);
  });
});

describe('verifyWebhook', () => {
  it('is true for what was signed, however the headers are given', () => {
    const signed = headers();
    const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]));
    for (const given of [signed, upper, new Headers({ ...signed })]) {
      expect(verifyWebhook({ secret, headers: given, body })).toBe(true);
    }
    expect(verifyWebhook({ secret, headers: signed, body: Buffer.from(body) })).toBe(true);
  });

  it.each([24, 31, 32, 33, 64])('takes the secret of an endpoint, of %i bytes, as Standard Webhooks has it', (size) => {
    const endpointSecret = `whsec_${randomBytes(size).toString('base64')}`;
    const now = new Date();
    const signed = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(endpointSecret).sign('msg_1', now, body),
    };
    expect(verifyWebhook({ secret: endpointSecret, headers: signed, body })).toBe(true);
    expect(verifyWebhook({ secret: endpointSecret, headers: signed, body: `${body} ` })).toBe(false);
    const others = [`whsec_${randomBytes(size).toString('base64')}`, 'whsec_', 'whsec_A', `${endpointSecret}!`];
    for (const other of others) expect(verifyWebhook({ secret: other, headers: signed, body })).toBe(false);
  });

  it('is true when one of several signatures fits', () => {
    const signed = headers();
    const several = { ...signed, 'webhook-signature': `v1,AAAA ${signed['webhook-signature']} v2,x` };
    expect(verifyWebhook({ secret, headers: several, body })).toBe(true);
  });

  it('is false for anything else', () => {
    const signed = headers();
    const other = randomBytes(32).toString('base64url');
    const changes = [
      { secret: other },
      { secret: 'none' },
      { body: `${body} ` },
      { body: Buffer.from([0xff]) },
      { headers: { ...signed, 'webhook-id': 'msg_2' } },
      { headers: { ...signed, 'webhook-id': ['msg_1', 'msg_1'] } },
      { headers: { ...signed, 'webhook-timestamp': String(seconds() - 1) } },
      { headers: { ...signed, 'webhook-timestamp': undefined } },
      { headers: { ...signed, 'webhook-signature': 'v1,' } },
      { headers: { ...signed, 'webhook-signature': '' } },
      { headers: {} },
    ];
    for (const change of changes) expect(verifyWebhook({ secret, headers: signed, body, ...change })).toBe(false);
  });

  it('is false for what was signed too long ago, or in the future', () => {
    const around = (offset: number, toleranceSeconds?: number) => {
      const old = signWebhook({ secret, id: 'msg_1', timestamp: seconds() + offset, body });
      const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
      return verifyWebhook({ secret, headers: old, body, ...tolerance });
    };
    expect([around(-290), around(290), around(-302), around(310)]).toEqual([true, true, false, false]);
    expect([around(-3_000, 3_600), around(-20, 10)]).toEqual([true, false]);
    expect([around(-20, NaN), around(0, NaN), around(0, -1)]).toEqual([false, false, false]);
  });
});
