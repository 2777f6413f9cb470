import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeGracefully } from '@app/http';
import { until } from '@app/testing/until';
import { type Loopback, type LoopbackUser, signIn, startLoopback } from '@app/testing/http';

let loopback: Loopback;
let headers: LoopbackUser['headers'];
let path: string;
beforeEach(async () => {
  loopback = await startLoopback();
  const user = await signIn(loopback);
  headers = user.headers;
  path = `${loopback.url}/v1/users/${user.userId}/patience`;
});
afterEach(() => loopback.stop());

const notServed = {
  type: 'urn:parley:error:unavailable',
  title: expect.any(String) as string,
  status: 503,
  reason: 'internal',
  requestId: expect.any(String) as string,
  retryable: true,
};

describe('a process that stops', () => {
  it('answers 503 what it cannot serve in time, and what comes meanwhile', async () => {
    // Takes five seconds, of which one is left.
    const early = fetch(path, { headers });
    await until('the request', async () => (loopback.accounts.calls > 0 ? true : null));
    const closed = closeGracefully(loopback.app, 1_000);
    const late = await fetch(path, { headers });
    expect([late.status, await late.json()]).toEqual([503, notServed]);
    const answer = await early;
    expect([answer.status, await answer.json()]).toEqual([503, notServed]);
    await closed;
    await expect(fetch(path, { headers })).rejects.toThrow();
  });

  it('finishes what is in flight, and turns new requests away', async () => {
    const { app, url, slow: answers } = loopback;
    const letGo = answers.hold();
    const slow = fetch(`${url}/sandbox/v1/slow`);
    await until('the request', async () => (answers.waiting > 0 ? true : null));
    const closed = closeGracefully(app, 60_000);
    const refused = await fetch(`${url}/sandbox/v1/slow`);
    expect([refused.status, refused.headers.get('connection')]).toEqual([503, 'close']);
    expect(await refused.json()).toMatchObject({ reason: 'internal', retryable: true });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    letGo();
    expect((await slow).status).toBe(200);
    await closed;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it('refuses for a while when it was just called, so that a proxy learns of its end by an answer', async () => {
    expect((await fetch(`${loopback.url}/nothing`)).status).toBe(404);
    const closed = closeGracefully(loopback.app, 5_000, { quietMs: 60_000 });
    await sleep(300); // an idle process would have ended by then
    const late = await fetch(path, { headers });
    expect([late.status, late.headers.get('connection')]).toEqual([503, 'close']);
    await closed;
    await expect(fetch(path, { headers })).rejects.toThrow();
  });

  it('answers on connections that it has accepted, when it accepts no more', async () => {
    const { hostname, port } = new URL(loopback.url);
    const accepted = once(loopback.app.getHttpServer(), 'connection');
    const socket = connect(Number(port), hostname);
    await accepted;
    const closed = closeGracefully(loopback.app, 5_000);
    await until('the end of listening', () =>
      fetch(`${loopback.url}/healthz`).then(
        () => null,
        () => true,
      ),
    );
    socket.write(`GET ${new URL(path).pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 503 .*"retryable":true/s);
    await closed;
  });
});
