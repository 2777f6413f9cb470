import { connect } from 'node:net';
import { Draining, ReadinessChecks, startManagementServer, type Readiness } from '@app/http';
import { Metrics } from '@app/runtime';
import pino from 'pino';
import { until } from '@app/testing/until';
import { goodKey, type Loopback, signIn, startLoopback } from '@app/testing/http';

let loopback: Loopback;
let lines: Record<string, unknown>[];
let headers: Record<string, string>;
let userId: string;

beforeEach(async () => {
  lines = [];
  const log = pino(
    { level: 'info', base: null },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  loopback = await startLoopback({}, log);
  const user = await signIn(loopback);
  userId = user.userId;
  headers = { ...user.headers, 'x-request-id': 'request-1' };
});
afterEach(() => loopback.stop());

/** Waits for the lines of so many requests. */
const requestLines = (count: number) =>
  until(`${count} lines`, async () => {
    const found = lines
      .filter((line) => 'operation' in line && 'ms' in line)
      .map(({ time: _, level: __, ms: ___, ...line }) => line);
    return found.length >= count ? found : null;
  });

describe('the request log', () => {
  it('has one line for each request, without anything secret', async () => {
    await fetch(`${loopback.url}/v1/users/${userId}/things?limit=5`, { headers });
    await fetch(`${loopback.url}/v1/users/${userId}/things?secret=hunter2`, { headers });
    await fetch(`${loopback.url}/v1/users/me`, { headers: { 'x-api-key': 'wrong-key' } });
    await fetch(`${loopback.url}/hunter2`, { headers });
    const { authorization = '' } = headers;
    const seen = await requestLines(4);
    const known = { requestId: 'request-1', method: 'GET', userId, keyId: `id-of-${goodKey}` };
    const route = '/v1/users/:userId/things';
    expect(seen[0]).toEqual({ ...known, operation: 'things.list', route, status: 200 });
    expect(seen[1]).toEqual({ ...known, operation: 'things.list', route, status: 400, reason: 'invalid_input' });
    expect(seen[2]).toMatchObject({ operation: 'users.me', status: 401, reason: 'partner_key_invalid' });
    expect(seen[3]).toEqual({
      requestId: 'request-1',
      method: 'GET',
      operation: 'none',
      status: 404,
      reason: 'not_found',
    });
    const all = JSON.stringify(lines);
    for (const secret of [`${goodKey}"`, 'wrong-key', 'hunter2', authorization.slice(10), 'limit=5']) {
      expect(all.replaceAll(`id-of-${goodKey}`, '')).not.toContain(secret);
    }
  });

  it('names the user who got an account by the request itself', async () => {
    const token = await loopback.issuer.token({ sub: 'bob' });
    const call = { method: 'POST', headers: { ...headers, authorization: `Bearer ${token}` } };
    const answer = await fetch(`${loopback.url}/v1/users`, call);
    // Reason for the assertion: the answer of the loopback's controller.
    const { userId: opened } = (await answer.json()) as { userId: string };
    const [seen] = await requestLines(1);
    expect(seen).toMatchObject({ operation: 'users.ensure', status: 200, userId: opened });
  });

  it('has one sentence for each request where people read it, without query and control characters', async () => {
    const told: string[] = [];
    const log = pino(
      { level: 'info', base: null },
      { write: (line: string) => void told.push(String(JSON.parse(line).msg)) },
    );
    const readable = await startLoopback({ LOG_FORMAT: 'pretty', OIDC_ISSUER: loopback.issuer.issuer }, log);
    try {
      const readableId = readable.accounts.add(loopback.issuer.issuer, 'alice');
      await fetch(`${readable.url}/v1/users/${readableId}/things?secret=hunter2`, { headers });
      await fetch(`${readable.url}/hunter2?secret=hunter2`, { headers });
      const lines = await until('two lines', async () => {
        const requests = told.filter((line) => line.includes('request-1'));
        return requests.length === 2 ? requests : null;
      });
      expect(lines[0]).toMatch(
        new RegExp(
          `^GET /v1/users/${readableId}/things 400 [0-9.]+ ms {2}things.list {2}invalid_input {2}request request-1 {2}user ${readableId}$`,
        ),
      );
      expect(lines[1]).toMatch(/^GET \(no route\) 404 [0-9.]+ ms {2}none {2}not_found {2}request request-1$/);
    } finally {
      await readable.stop();
    }
  });

  it('has a line for a client that went away, and the stack of a fault', async () => {
    const letGo = loopback.slow.hold();
    const socket = connect(loopback.port, '127.0.0.1', () =>
      socket.write('GET /sandbox/v1/slow HTTP/1.1\r\nHost: x\r\n\r\n'),
    );
    await until('the request', async () => (loopback.slow.waiting > 0 ? true : null));
    socket.destroy();
    await requestLines(1);
    letGo();
    await fetch(`${loopback.url}/sandbox/v1/boom`);
    const seen = (await requestLines(2)).map(({ operation, status }) => [operation, status]);
    expect(seen).toEqual([
      ['slow', 499],
      ['boom', 500],
    ]);
    expect(lines.find((line) => line['level'] === 50)).toMatchObject({
      operation: 'boom',
      err: { stack: expect.stringContaining('loopback-app') as string },
    });
  });
});

describe('the management port', () => {
  it('shows the durations by operation and status, and nothing else', async () => {
    await fetch(`${loopback.url}/v1/users/me`, { headers });
    const part = <Part>(token: new () => Part): Part => loopback.app.get<Part>(token, { strict: false });
    const managed = { metrics: part(Metrics), checks: part(ReadinessChecks), draining: part(Draining) };
    const management = await startManagementServer(managed, { host: '127.0.0.1', port: 0 });
    const text = await (await fetch(`http://127.0.0.1:${management.port}/metrics`)).text();
    expect(text).toContain('http_request_duration_seconds_count{operation="users.me",status="200"} 1');
    expect(text).toContain('process_cpu_seconds_total');
    expect((await fetch(`http://127.0.0.1:${management.port}/`)).status).toBe(404);
    await management.close();
    await expect(fetch(`http://127.0.0.1:${management.port}/metrics`)).rejects.toThrow();
    expect((await fetch(`${loopback.url}/metrics`)).status).toBe(404);
  });
});

describe('health', () => {
  it('says how the dependencies are', async () => {
    const checks = loopback.app.get(ReadinessChecks);
    let state: Readiness | 'throws' | 'hangs' = 'ok';
    const check = () =>
      state === 'throws'
        ? Promise.reject(new Error())
        : state === 'hangs'
          ? new Promise<Readiness>(() => undefined)
          : Promise.resolve(state);
    checks.add({ name: 'database', check });
    checks.add({ name: 'event store', check: () => Promise.resolve('ok') });
    const ready = async () => {
      const response = await fetch(`${loopback.url}/readyz`);
      return [response.status, await response.json()];
    };
    expect(await ready()).toEqual([
      200,
      { status: 'ok', checks: { database: 'ok', 'event store': 'ok', 'identity provider': 'ok' } },
    ]);
    state = 'degraded';
    expect(await ready()).toMatchObject([200, { status: 'degraded' }]);
    for (state of ['away', 'throws', 'hangs'] as const) {
      expect(await ready()).toMatchObject([503, { status: 'away', checks: { database: 'away', 'event store': 'ok' } }]);
    }
  });
});
