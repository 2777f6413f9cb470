import fc from 'fast-check';
import { type Loopback, type LoopbackUser, signIn, startLoopback } from '@app/testing/http';

let loopback: Loopback;
let headers: LoopbackUser['headers'];
let things: string;

beforeAll(async () => {
  loopback = await startLoopback({ RATE_LIMIT_KEY_PER_MINUTE: '1000000', RATE_LIMIT_USER_PER_MINUTE: '1000000' });
  const user = await signIn(loopback);
  headers = user.headers;
  things = `/v1/users/${user.userId}/things`;
});
afterAll(() => loopback.stop());

const json = { 'content-type': 'application/json' };

describe('any request', () => {
  const runs = process.env['FIGURES'] === 'full' ? 10_000 : 300;

  it('with any bytes as its body gets an answer below 500', async () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => new Uint8Array(Buffer.from(text))),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (bytes) => {
        const response = await fetch(loopback.url + things, {
          method: 'POST',
          body: bytes,
          headers: { ...headers, ...json },
        });
        expect(response.status).toBeLessThan(500);
        expect(await response.text()).not.toContain('node_modules');
      }),
      { numRuns: runs },
    );
  });

  it('with any path, query, key, token or id gets an answer below 500', async () => {
    const text = fc.string({ maxLength: 60, unit: 'grapheme' }).map(encodeURIComponent);
    const header = fc.stringMatching(/^[\x21-\x7e]{0,40}$/);
    await fc.assert(
      fc.asyncProperty(text, text, fc.webSegment(), header, header, async (id, value, segment, key, token) => {
        for (const path of [
          `/v1/users/${id}/things`,
          `${things}/${id}`,
          `${things}?limit=${value}`,
          `${things}?${value}=${id}`,
          `/${segment}`,
          `/v1/${value}`,
        ]) {
          expect((await fetch(loopback.url + path, { headers })).status).toBeLessThan(500);
        }
        const bad = { 'x-api-key': key, authorization: `Bearer ${token}`, 'x-request-id': key };
        expect((await fetch(loopback.url + things, { headers: bad })).status).toBeLessThan(500);
        expect(
          (await fetch(loopback.url + things, { headers: { ...headers, authorization: `Bearer ${token}` } })).status,
        ).toBe(401);
      }),
      { numRuns: Math.ceil(runs / 5) },
    );
  });
});
