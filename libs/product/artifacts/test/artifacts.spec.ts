import { createHash, randomBytes } from 'node:crypto';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { Answer, TestClient } from '@app/testing/client';
import {
  allPages,
  anInstant,
  aUuid,
  conversationOf,
  eventCount,
  expectProblem,
  journal,
  missingId,
  raw,
  say,
  start,
} from '@app/testing/journeys';

const limitBytes = 300_000;

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { ARTIFACT_LIMIT_BYTES: String(limitBytes) } });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  user = await deployment.newUser();
});
afterAll(() => deployment.stop());

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

async function upload(
  conversationId: string,
  name: string,
  body: string | Buffer,
  type: string | null = 'text/plain',
): Promise<Answer> {
  const headers = type === null ? {} : { 'content-type': type };
  return raw(user, 'POST', `/conversations/${conversationId}/artifacts?name=${encodeURIComponent(name)}`, {
    body: new Uint8Array(Buffer.from(body)),
    headers,
  });
}

async function uploaded(...args: Parameters<typeof upload>): Promise<Answer['body']> {
  const { status, body } = await upload(...args);
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
}

describe('an artifact', () => {
  it('is kept to the byte, with its declared type, and served as a download', async () => {
    const conversationId = await conversationOf(user);
    const bytes = randomBytes(200_000);
    const artifact = await uploaded(conversationId, 'Report-1.bin', bytes, 'image/x-odd; a="b c"');
    expect(artifact).toEqual({
      id: aUuid,
      conversationId,
      name: 'Report-1.bin',
      mediaType: 'image/x-odd; a="b c"',
      bytes: bytes.length,
      sha256: sha256(bytes),
      createdAt: anInstant,
    });
    const path = `/conversations/${conversationId}/artifacts/${String(artifact['id'])}`;
    expect(await user.get(path)).toMatchObject({ status: 200, body: artifact });
    const content = await fetch(user.url(`${path}/content`), { headers: user.headers });
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(content.headers)).toMatchObject({
      'content-type': 'image/x-odd; a="b c"',
      'content-length': String(bytes.length),
      'content-disposition': 'attachment; filename="Report-1.bin"',
      'x-content-type-options': 'nosniff',
    });
    const head = await fetch(user.url(`${path}/content`), { method: 'HEAD', headers: user.headers });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'content-disposition'])
      expect(head.headers.get(name)).toBe(content.headers.get(name));
    const { id: artifactId, name, mediaType, ...rest } = artifact;
    const { payload } = (await journal(user, conversationId)).at(-1) ?? { payload: {} };
    const { bytes: length, sha256: digest, createdAt: at } = rest;
    const event = { type: 'artifact.uploaded', at, artifactId, name, mediaType, bytes: length, sha256: digest };
    expect(payload).toEqual(event);
  });

  it('is named by its hash, so that nobody reads the same bytes twice', async () => {
    const conversationId = await conversationOf(user);
    const bytes = randomBytes(1_000);
    const { id } = await uploaded(conversationId, 'a.bin', bytes);
    const url = user.url(`/conversations/${conversationId}/artifacts/${String(id)}/content`);
    const ask = async (headers: Record<string, string>, method = 'GET') => {
      const response = await fetch(url, { method, headers: { ...user.headers, ...headers } });
      return { response, status: response.status, body: Buffer.from(await response.arrayBuffer()) };
    };
    const etag = `"${sha256(bytes)}"`;
    const whole = await ask({});
    expect(Object.fromEntries(whole.response.headers)).toMatchObject({ etag, 'accept-ranges': 'bytes' });
    for (const method of ['GET', 'HEAD']) {
      const known = await ask({ 'if-none-match': `"x", ${etag}` }, method);
      expect([known.status, known.body.length, known.response.headers.get('etag')]).toEqual([304, 0, etag]);
    }
    expect((await ask({ 'if-none-match': '"x"' })).status).toBe(200);
    const part = await ask({ range: 'bytes=100-199', 'if-range': etag });
    expect([part.status, part.response.headers.get('content-range')]).toEqual([206, 'bytes 100-199/1000']);
    expect([part.response.headers.get('content-length'), part.response.headers.get('etag')]).toEqual(['100', etag]);
    expect(part.body.equals(bytes.subarray(100, 200))).toBe(true);
    expect((await ask({ range: 'bytes=-10' })).body.equals(bytes.subarray(990))).toBe(true);
    for (const headers of [{ range: 'bytes=0-1,5-6' }, { range: 'bytes=100-199', 'if-range': '"x"' }]) {
      const { status, body } = await ask(headers);
      expect([status, body.equals(bytes)]).toEqual([200, true]);
    }
    const head = await ask({ range: 'bytes=100-199' }, 'HEAD');
    expect([head.status, head.response.headers.get('content-length')]).toEqual([200, '1000']);
    const outside = await ask({ range: 'bytes=1000-' });
    expect(outside.response.headers.get('content-range')).toBe('bytes */1000');
    expect([outside.status, JSON.parse(outside.body.toString())]).toMatchObject([
      416,
      { type: 'urn:parley:error:range_not_satisfiable', status: 416, retryable: false },
    ]);
  });

  it('is of no type where none is declared, and its JSON is not looked at', async () => {
    const conversationId = await conversationOf(user);
    expect(await uploaded(conversationId, 'a', 'x', null)).toMatchObject({ mediaType: 'application/octet-stream' });
    const broken = '{"a":1,"a":';
    const artifact = await uploaded(conversationId, 'b.json', broken, 'application/json');
    expect(artifact).toMatchObject({ mediaType: 'application/json', sha256: sha256(broken) });
    const path = `/conversations/${conversationId}/artifacts/${String(artifact['id'])}/content`;
    const content = await fetch(user.url(path), { headers: user.headers });
    expect([content.headers.get('content-type'), await content.text()]).toEqual(['application/json', broken]);
    const text = await uploaded(conversationId, 'c', 'x', 'text/plain');
    const plain = `/conversations/${conversationId}/artifacts/${String(text['id'])}/content`;
    const served = await fetch(user.url(plain), { headers: user.headers });
    expect(served.headers.get('content-type')).toBe('text/plain');
  });

  it('is listed newest first, page by page, equal names and all', async () => {
    const conversationId = await conversationOf(user);
    const ids: unknown[] = [];
    for (const text of ['one', 'two', 'two', 'three', 'four']) {
      ids.unshift((await uploaded(conversationId, 'same.txt', text))['id']);
    }
    const path = `/conversations/${conversationId}/artifacts`;
    const { pages, items } = await allPages(user, `${path}?limit=2`);
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(pages.map(({ data, total }) => [data.length, total])).toEqual([
      [2, 5],
      [2, 5],
      [1, 5],
    ]);
    const other = await conversationOf(user);
    expect((await user.get(`/conversations/${other}/artifacts`)).body).toEqual({
      data: [],
      nextCursor: null,
      total: 0,
    });
    const cursor = pages[0]?.nextCursor;
    expectProblem(await user.get(`/conversations/${other}/artifacts?cursor=${cursor}`), 'invalid_cursor');
  });

  it('may be as large as the limit, and no larger', async () => {
    const conversationId = await conversationOf(user);
    const before = await eventCount(deployment);
    expectProblem(await upload(conversationId, 'x', Buffer.alloc(limitBytes + 1)), 'too_large');
    expect(await eventCount(deployment)).toBe(before);
    await uploaded(conversationId, 'x', Buffer.alloc(limitBytes));
  });

  it('needs a name, a body and a media type that is one', async () => {
    const conversationId = await conversationOf(user);
    const before = await eventCount(deployment);
    for (const name of ['', '.x', '-x', 'a/b', 'a b', 'é', 'a'.repeat(129)]) {
      expectProblem(await upload(conversationId, name, 'x'), 'invalid_input', { at: ['/name'] });
    }
    const path = `/conversations/${conversationId}/artifacts`;
    expectProblem(await raw(user, 'POST', path, { body: 'x' }), 'invalid_input', { at: ['/name'] });
    expectProblem(await upload(conversationId, 'x', ''), 'invalid_input', { at: [''] });
    expectProblem(await raw(user, 'POST', `${path}?name=x`), 'invalid_input', { at: [''] });
    for (const type of ['text', 'text/', 'a/b c', `a/${'b'.repeat(300)}`, 'text/plain; x', 'a/b; c="']) {
      expectProblem(await upload(conversationId, 'x', 'x', type), 'invalid_input', { at: [''] });
    }
    expect(await eventCount(deployment)).toBe(before);
    await uploaded(conversationId, 'a'.repeat(128), 'x');
  });

  it('cannot be added to what is archived or missing, and stays readable there', async () => {
    const conversationId = await conversationOf(user);
    const { id } = await uploaded(conversationId, 'x', 'x');
    expect((await user.post(`/conversations/${conversationId}/archive`)).status).toBe(204);
    expectProblem(await upload(conversationId, 'x', 'x'), 'not_found');
    expectProblem(await upload(missingId, 'x', 'x'), 'not_found');
    const path = `/conversations/${conversationId}/artifacts`;
    expect((await user.get(`${path}/${String(id)}`)).status).toBe(200);
    expect((await user.get(path)).body).toMatchObject({ total: 1 });
    const elsewhere = await conversationOf(user);
    expectProblem(await user.get(`/conversations/${elsewhere}/artifacts/${String(id)}`), 'not_found');
    expectProblem(await user.get(`/conversations/${elsewhere}/artifacts/${String(id)}/content`), 'not_found');
  });
});

describe('a run', () => {
  it('is given artifacts of its conversation only, and shows them', async () => {
    const conversationId = await conversationOf(user);
    const mine = String((await uploaded(conversationId, 'a.txt', 'x'))['id']);
    const other = String((await uploaded(await conversationOf(user), 'b.txt', 'x'))['id']);
    const refused = await user.post('/agent-runs', {
      conversationId,
      input: { text: 'x', artifactIds: [mine, other] },
    });
    expectProblem(refused, 'invalid_input', { at: ['/input/artifactIds/1'] });
    const artifactIds = [mine.toUpperCase(), mine];
    const run = await say(user, conversationId, 'repeat after me: x', {
      input: { text: 'repeat after me: x', artifactIds },
    });
    expect(run).toMatchObject({ status: 'completed', request: { input: { artifactIds } } });
    const { body } = await user.get<{ data: object[] }>(`/conversations/${conversationId}/messages`);
    expect(body.data).toMatchObject([{ artifactIds: [mine, mine] }, { artifactIds: [] }]);
  });

  it('summarizes the newest of a name', async () => {
    const conversationId = await conversationOf(user);
    await uploaded(conversationId, 'notes.txt', 'Old.');
    const text = 'It rained. We stayed in!\nThen the sun came out. Nobody noticed.';
    await uploaded(conversationId, 'notes.txt', text);
    const run = await say(user, conversationId, 'Summarize   notes.txt');
    const said = (run['response'] as { text: string }).text;
    expect(said).toContain('It rained. We stayed in! Then the sun came out.');
    expect(said).toContain('notes.txt');
    expect(said).toContain('2 lines');
    expect(said).toContain('12 words');
    const types = (await journal(user, conversationId)).map(({ payload }) => payload);
    expect(types).toContainEqual(expect.objectContaining({ type: 'tool.called', tool: 'artifact_read' }));
    const unknown = await say(user, conversationId, 'summarize nothing.txt');
    expect((unknown['response'] as { text: string }).text).toContain('no file nothing.txt');
    expect((await start(user, conversationId, 'summarize notes.txt', { profile: { tools: [] } })).status).toBe(202);
  });
});
