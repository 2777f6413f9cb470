import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { goodKey, type Loopback, type LoopbackUser, signIn, startLoopback } from '@app/testing/http';

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

/** Sends a request, and checks the properties of every problem. */
async function problem(
  path: string,
  init: RequestInit = {},
): Promise<Record<string, unknown> & { response: Response }> {
  const response = await fetch(loopback.url + path, { ...init, headers: { ...headers, ...init.headers } });
  const body = (await response.json()) as Record<string, unknown>;
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(body['requestId']).toBe(response.headers.get('x-request-id'));
  expect(body['status']).toBe(response.status);
  expect(body['type']).toMatch(/^urn:parley:error:[a-z_]+$/);
  expect(typeof body['retryable']).toBe('boolean');
  return { ...body, response };
}

const post = (body: NonNullable<RequestInit['body']>, type = json): RequestInit =>
  ({ method: 'POST', body, headers: type, duplex: 'half' }) as RequestInit;

const packing = (body: NonNullable<RequestInit['body']>, coding: string): RequestInit => {
  return { ...post(body), headers: { ...json, 'content-encoding': coding } };
};

/** Writes bytes to a new socket, and returns all that it receives until the socket is closed or the time is over. */
function raw(bytes: string, waitMs = 3_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(loopback.port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    const timer = setTimeout(() => socket.destroy(), waitMs);
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

describe('problems', () => {
  it('answer an unknown path, an undecodable one, and a method that a path does not serve', async () => {
    expect(await problem('/nowhere')).toMatchObject({
      status: 404,
      type: 'urn:parley:error:not_found',
      retryable: false,
    });
    expect(await problem('/v1/users/%zz')).toMatchObject({ status: 404 });
    expect(await problem(`${things}/`)).toMatchObject({ status: 404 });
    expect(await problem('/nowhere', post('{'))).toMatchObject({ status: 404 });
    const { response, ...body } = await problem(things, { method: 'DELETE' });
    expect(body).toMatchObject({ status: 405, type: 'urn:parley:error:method_not_allowed' });
    expect(body).not.toHaveProperty('reason');
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await problem(`${things}?limit=%41&a=%zz`, { method: 'PUT' })).status).toBe(405);
    expect((await problem(things, { method: 'OPTIONS' })).status).toBe(405);
    expect((await problem(`/v1/users/${'a'.repeat(5_000)}/things`)).status).toBe(404);
  });

  it('answer HEAD as GET is answered, without the body', async () => {
    const missing = `${things}/x`;
    for (const path of [
      things,
      '/v1/users/me',
      missing,
      `${things}?a=1`,
      '/v1/nowhere',
      '/healthz',
      '/sandbox/v1/slow',
    ]) {
      const [head, get] = [
        await fetch(loopback.url + path, { method: 'HEAD', headers }),
        await fetch(loopback.url + path, { headers }),
      ];
      const told = ({ status, headers: sent }: Response) => [
        status,
        sent.get('content-type'),
        sent.get('content-length'),
        sent.get('ratelimit-policy'),
        sent.get('cache-control'),
        sent.get('x-content-type-options'),
        sent.has('x-request-id'),
      ];
      expect([path, ...told(head)]).toEqual([path, ...told(get)]);
      expect([await head.text(), (await get.text()).length > 0]).toEqual(['', true]);
    }
    const poke = `${things}/00000000-0000-0000-0000-000000000000/poke`;
    const refused = await fetch(loopback.url + poke, { method: 'HEAD', headers });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await fetch(loopback.url + things, { method: 'HEAD' })).status).toBe(401);
  });

  it('refuse a body on a call that takes none, also on GET and HEAD', async () => {
    const length = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`;
    const chunked = (body: string) =>
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const typed = 'Content-Type: application/json\r\n';
    for (const method of ['GET', 'HEAD']) {
      const head = `${method} ${things} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Api-Key: ${goodKey}\r\nAuthorization: ${headers.authorization}\r\n`;
      for (const [rest, status] of [
        ['\r\n', 200],
        [`${typed}\r\n`, 200],
        [length(''), 200],
        [typed + length('{}'), 200],
        [typed + chunked('{}'), 200],
        [typed + length('{"a":1}'), 400],
        [typed + chunked('{"a":1}'), 400],
        [typed + length('null'), 400],
        [typed + length('{"a":'), 400],
        [length('text'), 400],
        [typed + length('x'.repeat(5_000)), 413],
      ] as const) {
        const answer = await raw(head + rest);
        expect([method, rest.slice(0, 80), answer.slice(0, 12)]).toEqual([
          method,
          rest.slice(0, 80),
          `HTTP/1.1 ${status}`,
        ]);
        if (method === 'GET' && status === 400) expect(answer).toContain('"reason":"invalid_input"');
      }
    }
  });

  it('answer a broken, mistyped or misplaced body at the root', async () => {
    for (const init of [
      post('{"name":'),
      post('null'),
      post('[]'),
      post('"x"'),
      post('{"name":"x"}', { 'content-type': 'text/plain' }),
      post('{"name":"x"}', { 'content-type': 'application/json; charset=latin1' }),
      post('name=x', { 'content-type': 'application/x-www-form-urlencoded' }),
      post('{"name":"x"}', { 'content-type': ';;;' }),
      post('{"name":"x"}', { 'content-type': 'application/jsonp' }),
      post('{"name":"x"}', { 'content-type': 'application/vnd.parley+xml' }),
      post('{"name":"x"}', { 'content-type': 'application/vnd.parley+json; charset=utf-16' }),
      post('\ufeffnull'),
      post('\ufeff'),
      post(new Uint8Array([0x7b, 0xff, 0x7d])),
    ]) {
      expect(await problem(things, init)).toMatchObject({
        status: 400,
        reason: 'invalid_input',
        issues: [{ path: '' }],
      });
    }
  });

  it('answer a body that is packed, whatever it holds, before it is read', async () => {
    const packed = gzipSync('{"name":"x"}');
    for (const coding of [
      'gzip',
      'x-gzip',
      'br',
      'deflate',
      'zstd',
      'compress',
      'identity, gzip',
      'GZIP',
      'nonsense',
    ]) {
      const init = packing(packed, coding);
      expect(await problem(things, init)).toMatchObject({
        type: 'urn:parley:error:unsupported_encoding',
        status: 415,
        retryable: false,
      });
    }
    expect(await problem(things, packing('null', 'Identity'))).toMatchObject({
      status: 400,
    });
  });

  it('are not given for JSON by any name, with a byte order mark, or with null for what may be absent', async () => {
    for (const type of [
      'application/json; charset=UTF-8',
      'Application/JSON;charset="utf-8"',
      'application/json; odata=verbose',
      'application/vnd.partner.v1+json',
      'application/ld+json; profile="https://partner.example"',
    ]) {
      const sent = post('\ufeff{"name":"x","other":null}', { 'content-type': type });
      const answer = await fetch(loopback.url + things, { ...sent, headers: { ...headers, 'content-type': type } });
      expect([type, answer.status, await answer.json()]).toEqual([type, 201, { name: 'x' }]);
    }
  });

  it('name each field, and what nobody asked for', async () => {
    const { issues, detail } = await problem(things, post('{"name":"","other":7,"more":null}'));
    expect(issues).toEqual([
      { path: '/more', message: 'is not known' },
      { path: '/name', message: 'must be a text of 1 to 10 characters' },
      { path: '/other', message: 'must be a UUID' },
    ]);
    expect((await problem(`${things}?a=1`, post('{"name":""}')))['issues']).toMatchObject([
      { path: '/a' },
      { path: '/name' },
    ]);
    expect(detail).toBe('/more: is not known (and 2 more)');
    expect(await problem(things, { method: 'POST' })).toMatchObject({
      issues: [{ path: '/name', message: 'is required' }],
    });
    expect(await problem(`${things}?limit=1&limit=2&x=1`)).toMatchObject({
      issues: [{ path: '/x' }, { path: '/limit' }],
    });
    expect(await problem('/v1/users/me?a=1')).toMatchObject({ status: 400, issues: [{ path: '/a' }] });
    const poke = `${things}/00000000-0000-0000-0000-000000000000/poke`;
    expect(await problem(poke, post('{"a":1}'))).toMatchObject({ status: 400, issues: [{ path: '/a' }] });
    for (const init of [post('{}'), post(''), { method: 'POST' }]) {
      expect((await fetch(loopback.url + poke, { ...init, headers: { ...headers, ...init.headers } })).status).toBe(
        201,
      );
    }
  });

  it('refuse a large body before the rest of it is read', async () => {
    const head = `POST ${things} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${goodKey}\r\nAuthorization: ${headers.authorization}\r\nContent-Type: application/json\r\n`;
    for (const rest of [
      'Content-Length: 5000\r\n\r\n{"name":"',
      `Transfer-Encoding: chunked\r\n\r\n1400\r\n${'x'.repeat(0x1400)}\r\n`,
    ]) {
      const answer = await raw(head + rest);
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toContain('urn:parley:error:too_large');
      expect(answer).not.toContain('"reason"');
    }
    expect((await problem(things, post('x'.repeat(3_000_000)))).status).toBe(413);
  });

  it('answer what is no readable request at all', async () => {
    for (const [bytes, status] of [
      ['BLAH\r\n\r\n', 400],
      [`GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 400],
      ['GET /v1/users/me HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['GET /v1/users/me HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n', 401],
      ['OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
      ['GET nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ] as const) {
      const answer = await raw(bytes);
      expect([bytes.slice(0, 30), answer.slice(0, 12)]).toEqual([bytes.slice(0, 30), `HTTP/1.1 ${status}`]);
      expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
      expect(answer.toLowerCase()).toContain('x-request-id: ');
    }
  });

  it('tell nothing of a fault of ours', async () => {
    const { response: _, ...body } = await problem('/sandbox/v1/boom');
    expect(body).toMatchObject({ status: 500, reason: 'internal', retryable: false });
    expect(JSON.stringify(body)).not.toMatch(/hunter2|stack|\.ts/);
  });

  it('echo a well-formed request id and replace any other', async () => {
    const idFor = async (id: string) =>
      (await fetch(`${loopback.url}/healthz`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('abc.DEF_123-x')).toBe('abc.DEF_123-x');
    for (const id of ['short', 'x'.repeat(65), 'has space in it', 'umlaut-äöü-umlaut'])
      expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
