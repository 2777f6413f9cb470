import { request } from 'node:http';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';
import { startExample, type Example } from './example';

const startTimeoutMs = 180_000;

/** The parts of an answer that these tests check. */
interface Answered {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

describe('what the example lets in', () => {
  let deployment: Deployment;
  let example: Example;
  const own = (): Record<string, string> => ({ origin: example.origin, 'content-type': 'application/json' });

  beforeAll(async () => {
    deployment = await startDeployment({ mode: 'in-process' });
    example = await startExample(deployment);
  }, startTimeoutMs);

  afterAll(async () => {
    await example?.stop();
    await deployment?.stop();
  });

  /** Sends one request with exactly these headers, some of which `fetch` does not let a caller set. */
  async function ask(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const asked = request(`${example.origin}${path}`, { method, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  const signIn = async (name: string): Promise<string> => {
    const { status, headers } = await ask('POST', '/api/session', own(), JSON.stringify({ name }));
    expect(status).toBe(200);
    return String(headers['set-cookie']);
  };

  it('gives a session as a cookie that no script and no other site gets hold of', async () => {
    const cookie = await signIn('Ada');
    expect(cookie).toMatch(/^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await signIn('Ada')).not.toBe(cookie);
  });

  it('takes no name that is none', async () => {
    for (const name of [
      '',
      ' ',
      '\0',
      'Ada\0',
      'A\nda',
      'A\u001bda',
      'A\u0085da',
      'Ada\ud800',
      'x'.repeat(61),
      7,
      null,
      ['Ada'],
    ]) {
      const answer = await ask('POST', '/api/session', own(), JSON.stringify({ name }));
      expect([name, answer.status, JSON.parse(answer.body)]).toEqual([
        name,
        400,
        expect.objectContaining({ reason: 'invalid_input' }),
      ]);
    }
    await signIn(' Zoë Þórsdóttir 👩🏽‍💻 李\u202e ');
  });

  it('changes nothing for another site, nor for one that does not say which it is', async () => {
    const cookie = (await signIn('Grace')).split(';')[0] ?? '';
    const body = JSON.stringify({ title: 'planted' });
    for (const origin of ['http://evil.example', 'null', example.origin.replace('127.0.0.1', 'localhost'), undefined]) {
      const headers = { cookie, 'content-type': 'application/json', ...(origin !== undefined && { origin }) };
      const answer = await ask('POST', '/api/conversations', headers, body);
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        403,
        expect.objectContaining({ reason: 'origin_rejected' }),
      ]);
    }
    const list = await ask('GET', '/api/conversations', { cookie });
    expect(JSON.parse(list.body)).toMatchObject({ data: [] });
  });

  it('answers to its own name only, and tells no cache', async () => {
    expect((await ask('GET', '/', { host: 'evil.example' })).status).toBe(421);
    expect((await ask('GET', '/api/session')).headers['cache-control']).toBe('no-store');
  });

  it('has a policy without inline scripts, on the page and on every answer', async () => {
    for (const path of ['/', '/api/session', '/nothing']) {
      const { headers } = await ask('GET', path);
      expect(headers['content-security-policy']).toMatch(/^default-src 'none';script-src 'self';/);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('needs a session for everything of a user', async () => {
    for (const path of ['/api/conversations', '/api/wallet', '/api/approvals/x', '/api/conversations/x/stream']) {
      const answer = await ask('GET', path, { cookie: 'session=made-up' });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        401,
        expect.objectContaining({ reason: 'not_signed_in' }),
      ]);
    }
  });

  it('passes on what Parley refuses, and nothing that it was not asked for', async () => {
    const cookie = (await signIn('Joan')).split(';')[0] ?? '';
    const missing = '0190a000-0000-7000-8000-00000000dead';
    const answer = await ask('GET', `/api/approvals/${missing}`, { cookie });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([404, expect.objectContaining({ reason: 'not_found' })]);
    expect((await ask('GET', `/api/conversations/${missing}/stream`, { cookie })).status).toBe(404);
    expect((await ask('GET', '/api/conversations/..%2F..%2Fbudget', { cookie })).status).toBe(404);
    const headers = { ...own(), cookie };
    for (const body of ['{"title":"a","more":1}', '{"title":1}', '{', '[]']) {
      expect((await ask('POST', '/api/conversations', headers, body)).status).toBe(400);
    }
  });

  it('renews the token, and asks again with a new one when the old one is refused', async () => {
    const cookie = (await signIn('Edith')).split(';')[0] ?? '';
    expect((await ask('GET', '/api/wallet', { cookie })).status).toBe(200);
    const before = example.secrets().length;
    // The service's clock advances an hour, so the token has expired without the example's knowledge.
    await deployment.sandbox('POST', 'clock', { advanceSeconds: 3_600 });
    const isServed = async () => ((await ask('GET', '/api/wallet', { cookie })).status === 200 ? true : null);
    await until('the wallet', isServed);
    expect(example.secrets().length).toBe(before + 1);
  });
});
