import { until } from '@app/testing/until';
import { type Loopback, type LoopbackUser, signIn, startLoopback } from '@app/testing/http';
import { answerTo, keyOf, outcomeOf, type Asking } from './answers';

let loopback: Loopback;
let user: LoopbackUser;
afterEach(() => loopback.stop());

const call = (path: string, ...how: Asking) => answerTo(loopback.url + path, ...how);
const outcome = (path: string, ...how: Asking) => outcomeOf(loopback.url + path, ...how);

describe('requests without a good partner key', () => {
  const wrong = (turn: number, headers: Record<string, string> = {}) =>
    outcome('/v1/users/me', { 'x-api-key': keyOf(`wrong${turn}`), ...headers });
  const times = <Value>(count: number, what: (turn: number) => Promise<Value>) =>
    Promise.all(Array.from({ length: count }, (_, turn) => what(turn)));

  async function begin(env: Record<string, string> = {}): Promise<void> {
    loopback = await startLoopback({ KEY_FAILURES_PER_MINUTE: '60', ...env });
    user = await signIn(loopback);
  }

  it('fail 60 times in a minute, and are told to wait then, while a good key is admitted from the same address', async () => {
    await begin();
    const answers = [...(await times(25, wrong)), ...(await times(25, () => outcome('/v1/users/me', {})))];
    answers.push(...(await times(25, () => outcome('/v1/users/me', { 'x-api-key': 'nonsense' }))));
    expect(answers.filter(([status]) => status === 401)).toHaveLength(60);
    expect(answers.filter(([status, reason]) => status === 429 && reason === 'rate_limited')).toHaveLength(15);
    const refused = await call('/v1/users/me', { 'x-api-key': keyOf('another') });
    expect([refused.status, refused.body['retryable']]).toEqual([429, true]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(refused.headers.get('ratelimit')).toBeNull();
    // No caller has sent it before, so this process has to look it up.
    expect(await outcome('/v1/users/me', user.headers)).toEqual([200, undefined]);
  });

  it('cost no look-up where they cannot be keys, and one in 10 s where they are unknown', async () => {
    await begin({ KEY_FAILURES_PER_MINUTE: '1000' });
    for (const text of ['nonsense', 'pk_', keyOf('').slice(1), `${keyOf('')}0`, keyOf('.'), keyOf('').toUpperCase()])
      expect(await outcome('/v1/users/me', { 'x-api-key': text })).toEqual([401, 'partner_key_invalid']);
    expect(loopback.keys.calls).toBe(0);
    for (let turn = 0; turn < 5; turn += 1) expect(await wrong(0)).toEqual([401, 'partner_key_invalid']);
    expect(loopback.keys.asked).toBe(1);
    loopback.keys.add(keyOf('wrong0'));
    await until('the key that was minted', async () => {
      return (await wrong(0, { authorization: user.headers.authorization }))[0] === 200 || null;
    });
  });

  it('that come in a flood are looked up together', async () => {
    await begin();
    await times(400, wrong);
    expect(loopback.keys.asked).toBeLessThanOrEqual(400);
    expect(loopback.keys.calls).toBeLessThan(100);
  });

  it('are counted by the address that a trusted proxy names, by networks of IPv6, and by no other', async () => {
    await begin({ KEY_FAILURES_PER_MINUTE: '2', TRUSTED_PROXIES: 'loopback' });
    const from = async (forwarded: string) => (await wrong(0, { 'x-forwarded-for': forwarded }))[0];
    expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')]).toEqual([401, 401, 429]);
    expect(await from('192.0.2.2')).toBe(401);
    // The caller's own entries precede the address that the proxy adds.
    expect(await from('192.0.2.7, 192.0.2.1')).toBe(429);
    expect([await from('2001:db8::1'), await from('2001:DB8:0:0:ffff::2')]).toEqual([401, 401]);
    expect([await from('2001:db8::3'), await from('2001:db8:0:1::3')]).toEqual([429, 401]);
    expect([await from('nonsense'), await from('other'), await from('third')]).toEqual([401, 401, 429]);
  });

  it('are counted by their own address where no proxy is trusted', async () => {
    await begin({ KEY_FAILURES_PER_MINUTE: '2' });
    const from = async (forwarded: string) => (await wrong(0, { 'x-forwarded-for': forwarded }))[0];
    expect([await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.3')]).toEqual([401, 401, 429]);
  });
});
