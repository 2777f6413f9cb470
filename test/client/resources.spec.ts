import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReason, type ParleyClient } from '@parley/client';
import { errorOf, me } from './example-calls';
import { durable, events, json, problem, ScriptedService, silence, told } from './scripted-service';

const documentFile = join(__dirname, '..', '..', 'libs/clients/client/src/generated/openapi.json');

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

const client = () => service.client({ userId: 'u' });
const run = { id: 'r', status: 'completed' };

describe('a call by resource', () => {
  it('sends path ids, query and body where they belong, and answers the data itself', async () => {
    service.play(json({ runId: 'r', seq: 2 }, 202));
    const started = await client().runs.start({ conversationId: 'c', input: { text: 'hello' } });
    expect(started).toEqual({ runId: 'r', seq: 2 });
    const [seen] = service.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/v1/users/u/agent-runs' });
    expect(JSON.parse(seen?.body ?? '')).toEqual({
      conversationId: 'c',
      input: { text: 'hello' },
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });

    service.play(json({ data: [], offset: 0 }));
    await client().automations.search({ query: 'a & b', state: 'paused' });
    expect(service.seen[0]).toMatchObject({
      url: '/v1/users/u/automations/search?query=a%20%26%20b&state=paused',
      body: '',
    });

    service.play(json({ status: 'approved' }));
    await client().approvals.approve({ approvalId: 'a/b', fingerprint: 'sha256:0' });
    expect(service.seen[0]).toMatchObject({
      url: '/v1/users/u/approvals/a%2Fb/approve',
      body: '{"fingerprint":"sha256:0"}',
    });
  });

  it('sends no body where none is given, and leaves out what is undefined', async () => {
    service.play(json(me));
    await client().users.ensure();
    expect(service.seen[0]).toMatchObject({ method: 'POST', url: '/v1/users', body: '' });
    service.play(json({ id: 'c' }, 201));
    await client().conversations.create({ title: undefined });
    expect(service.seen[0]).toMatchObject({ url: '/v1/users/u/conversations', body: '' });
  });

  it('gives the answer itself on request, without another call', async () => {
    service.play(json(run, 200, { 'x-request-id': 'request-1' }));
    const call = client().runs.get({ runId: 'r' });
    const { data, response } = await call.withResponse();
    expect([data, response.status, response.headers.get('x-request-id')]).toEqual([run, 200, 'request-1']);
    expect(await call).toBe(data);
    expect(service.seen).toHaveLength(1);
  });

  it('is a promise like any other', async () => {
    service.play(json(run));
    const ended: string[] = [];
    const call = client()
      .runs.get({ runId: 'r' })
      .finally(() => ended.push('read'));
    expect(await Promise.all([call, call])).toEqual([run, run]);
    service.play(problem('run_not_active'));
    const caught = client()
      .runs.abort({ runId: 'r' })
      .catch((error: unknown) => isReason(error, 'run_not_active'));
    expect([await caught, ended]).toEqual([true, ['read']]);
  });

  it('carries the headers of its options, and ends with its signal', async () => {
    service.play(json(run));
    await client().runs.get({ runId: 'r' }, { headers: { 'x-request-id': 'my-request-1' } });
    expect(service.seen[0]?.headers['x-request-id']).toBe('my-request-1');
    service.play(silence);
    const abort = new AbortController();
    const call = errorOf(client().runs.get({ runId: 'r' }, { signal: abort.signal }));
    abort.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });
  });

  it.each(['', '.', '..', undefined])('is not made with an id that leads elsewhere: %j', async (runId) => {
    service.play(json(run));
    // @ts-expect-error an id may be missing where no compiler checks
    expect(await errorOf(client().runs.get({ runId }))).toBeInstanceOf(TypeError);
    expect(service.seen).toHaveLength(0);
  });
});

describe('the user of a client', () => {
  const urls = () => service.seen.map(({ method, url }) => `${method} ${url}`);

  it('is named at construction', async () => {
    service.play(json(run));
    await service.client({ userId: 'named' }).runs.get({ runId: 'r' });
    expect(urls()).toEqual(['GET /v1/users/named/agent-runs/r']);
  });

  it.each(['ensure', 'me'] as const)('is the one that users.%s() answered', async (name) => {
    service.play(json(me), json(run));
    const parley = service.client();
    await parley.users[name]();
    await parley.runs.get({ runId: 'r' });
    expect(urls().slice(1)).toEqual(['GET /v1/users/u/agent-runs/r']);
  });

  it('is asked for once where nothing has named it', async () => {
    service.play(json(me), json(run));
    const parley = service.client();
    await parley.runs.get({ runId: 'r' });
    await parley.runs.get({ runId: 'r' });
    expect(urls()).toEqual(['GET /v1/users/me', 'GET /v1/users/u/agent-runs/r', 'GET /v1/users/u/agent-runs/r']);
  });

  it('is not known before there is an account', async () => {
    service.play(problem('account_not_provisioned'));
    expect(isReason(await errorOf(service.client().runs.get({ runId: 'r' })), 'account_not_provisioned')).toBe(true);
  });

  it('is another where a call says so', async () => {
    service.play(json(run));
    await client().runs.get({ userId: 'other', runId: 'r' });
    expect(urls()).toEqual(['GET /v1/users/other/agent-runs/r']);
  });
});

describe('a list by resource', () => {
  const pages = [
    json({ data: [{ id: 'a' }, { id: 'b' }], nextCursor: 'two', total: 3 }),
    json({ data: [{ id: 'c' }], nextCursor: null, total: 3 }),
  ];

  it('gives the items of all pages, and asks for a page only when it is needed', async () => {
    service.play(...pages);
    const list = client().runs.list({ conversationId: 'c', limit: 2 });
    expect(service.seen).toHaveLength(0);
    const ids: string[] = [];
    for await (const { id } of list) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(service.seen.map(({ url }) => url.split('?')[1])).toEqual([
      'conversationId=c&limit=2',
      'conversationId=c&limit=2&cursor=two',
    ]);
  });

  it('gives one page, awaited or by name, with its answer', async () => {
    service.play(...pages);
    const first = await client().runs.list({ limit: 2 });
    expect([first.data.length, first.nextCursor, first.total]).toEqual([2, 'two', 3]);
    const { data, response } = await client().runs.list({ limit: 2, cursor: 'two' }).page().withResponse();
    expect([data.nextCursor, response.status]).toEqual([null, 200]);
    service.play(...pages);
    const sizes: number[] = [];
    for await (const page of client().runs.list().pages()) sizes.push(page.data.length);
    expect(sizes).toEqual([2, 1]);
  });
});

describe('artifacts', () => {
  it('are sent as bytes with their media type, and read as bytes', async () => {
    service.play(json({ id: 'a' }, 201));
    const upload = { conversationId: 'c', name: 'a.txt', content: new TextEncoder().encode('é') };
    await client().artifacts.upload({ ...upload, contentType: 'text/plain' });
    await client().artifacts.upload(upload);
    await client().artifacts.upload({ ...upload, content: new Blob(['é'], { type: 'text/css' }) });
    expect(service.seen.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['text/plain', 'é'],
      ['application/octet-stream', 'é'],
      ['text/css', 'é'],
    ]);
    expect(service.seen[0]?.url).toBe('/v1/users/u/conversations/c/artifacts?name=a.txt');

    service.play((response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('é'));
    const bytes = await client().artifacts.content({ conversationId: 'c', artifactId: 'a' });
    expect([bytes, new TextDecoder().decode(bytes)]).toEqual([expect.any(Uint8Array), 'é']);
  });
});

describe('conversations.stream', () => {
  it('follows a journal, and ends without an error when its signal aborts', async () => {
    service.play(json(me), events([durable(8)], 'stays open'));
    const abort = new AbortController();
    const seqs: number[] = [];
    const stream = service.client().conversations.stream({ conversationId: 'c', after: 7 }, { signal: abort.signal });
    for await (const frame of stream) {
      if (frame.delivery === 'durable') seqs.push(frame.seq);
      abort.abort();
    }
    expect(seqs).toEqual([8]);
    expect(service.seen.map(({ url }) => url)).toEqual(['/v1/users/me', '/v1/users/u/conversations/c/stream']);
    expect(service.seen[1]?.headers['last-event-id']).toBe('7');
  });
});

/** The members of the document that the test reads: the operations of partners, with their examples. */
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example: unknown }[];
  readonly requestBody?: { readonly content: Record<string, { readonly example?: object }> };
}
type Paths = Record<string, Record<string, Described>>;

const namesOf = (given: NonNullable<Described['parameters']>): object =>
  Object.fromEntries(given.map((one) => [one.name, one.example]));

const uploadOf = ({ requestBody }: Described): { readonly content?: string } =>
  requestBody?.content['application/octet-stream'] === undefined ? {} : { content: 'bytes' };

const textOf = (body: object): string => (Object.keys(body).length === 0 ? '' : JSON.stringify(body));

describe('every operation of the contract', () => {
  // Reason for the assertion: this build of the client was generated from this document.
  const { paths } = JSON.parse(readFileSync(documentFile, 'utf8')) as { paths: Paths };
  const rows = Object.entries(paths)
    .filter(([path]) => /^(\/feed)?\/v1\//.test(path))
    .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => [operation, method, path] as const));

  it.each(rows.map((row) => [row[0].operationId, ...row] as const))(
    'is a method: %s',
    async (id, operation, method, path) => {
      const given = operation.parameters?.filter((parameter) => parameter.in !== 'header') ?? [];
      const body = operation.requestBody?.content['application/json']?.example ?? {};
      const isStream = id.endsWith('.stream');
      service.play(
        isStream
          ? events([id === 'feed.stream' ? told('one') : durable(1)])
          : json({ userId: 'u', data: [], nextCursor: null }),
      );
      await called(client(), id, method, { ...namesOf(given), ...body, ...uploadOf(operation) });

      const [seen] = service.seen;
      const filled = given.reduce((url, one) => url.replace(`{${one.name}}`, String(one.example)), path);
      expect([seen?.method, seen?.url.split('?')[0]]).toEqual([method.toUpperCase(), filled]);
      if (isStream) return;
      const asked = [...new URL(seen?.url ?? '', service.baseUrl).searchParams.keys()];
      expect(asked).toEqual(given.filter((one) => one.in === 'query').map((one) => one.name));
      expect(seen?.body).toBe(uploadOf(operation).content ?? textOf(body));
    },
  );

  async function called(parley: ParleyClient, id: string, method: string, input: object): Promise<void> {
    const [resource = '', name = method] = id.split('.');
    const methods: unknown = Reflect.get(parley, resource);
    const found: unknown = Reflect.get(Object(methods), name);
    if (typeof found !== 'function') throw new Error(`there is no parley.${resource}.${name}`);
    const answered: unknown = Reflect.apply(found, methods, [input]);
    if (typeof answered === 'object' && answered !== null && 'next' in answered) {
      // Reason for the assertion: it is a generator, because it has `next`.
      await (answered as AsyncGenerator).next();
      await (answered as AsyncGenerator).return(undefined);
    } else await answered;
  }
});

describe('a client that cannot work', () => {
  it.each([
    ['', 'baseUrl is missing'],
    ['parley.example.com', 'no absolute URL'],
    ['/v1', 'no absolute URL'],
    ['ftp://parley.example.com', 'neither http: nor https:'],
    ['localhost:8080', 'neither http: nor https:'],
    ['https://parley.example.com/v1', 'ends in /v1'],
    ['https://parley.example.com/v1/', 'ends in /v1'],
    ['https://parley.example.com?key=1', 'a query or a fragment'],
    ['https://parley.example.com/#top', 'a query or a fragment'],
    ['https://user:secret@parley.example.com', 'a user name or a password'],
  ])('is not made with the base URL %j', (baseUrl, message) => {
    expect(() => service.client({ baseUrl })).toThrow(TypeError);
    expect(() => service.client({ baseUrl })).toThrow(message);
    expect(() => service.client({ baseUrl })).not.toThrow('secret');
  });

  it.each([
    [{ partnerKey: '' }, 'partnerKey is missing'],
    [{ partnerKey: 'pk_1\n' }, 'partnerKey holds what no header can carry'],
    [{ userToken: '' }, 'userToken is missing'],
    [{ userToken: 'a b' }, 'userToken holds what no header can carry'],
    // Reason for the assertion: a variable that is not set, where no compiler checks.
    [{ userToken: undefined as unknown as string }, 'userToken is missing'],
  ])('is not made with %j', (options, message) => {
    expect(() => service.client(options)).toThrow(message);
  });

  it('says so when the function for the token gives none', async () => {
    service.play(json(me));
    expect(await errorOf(service.client({ userToken: () => '' }).users.me())).toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('the function userToken gave is missing'),
    });
    expect(service.seen).toHaveLength(0);
  });
});
