import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchAnswers } from '@app/testing/documents';
import { answersVariable } from '@app/testing/answers';

const described = {
  openapi: '3.1.0',
  paths: {
    '/thing': {
      get: {
        operationId: 'things.get',
        responses: {
          200: {
            description: 'OK',
            headers: {
              'X-Request-Id': { $ref: '#/components/headers/RequestId' },
              'Retry-After': { schema: { type: 'integer', minimum: 1 } },
            },
            content: { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } } },
          },
        },
      },
    },
  },
  components: { headers: { RequestId: { schema: { type: 'string', pattern: '^[a-z]+$' } } } },
};

describe('an answer that a test gets', () => {
  let server: Server;
  let baseUrl: string;
  let folder: string;
  /** Headers that the service sends in addition to the documented ones. */
  let sent: Record<string, string>;
  let body: object;

  beforeAll(async () => {
    // Kept separate from the answers that the run counts.
    folder = await mkdtemp(join(tmpdir(), 'parley-answers-'));
    process.env[answersVariable] = join(folder, 'answers');
    server = createServer((request, response) => {
      if (request.url === '/operator/openapi.json') return void response.writeHead(404).end();
      const isDocument = request.url === '/openapi.json';
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'abc', ...(!isDocument && sent) });
      response.end(JSON.stringify(isDocument ? described : body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Reason for the assertion: a listening TCP server has an address and a port.
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await watchAnswers([baseUrl]);
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    sent = {};
    body = { name: 'x' };
  });
  const ask = async () => (await fetch(`${baseUrl}/thing`)).status;

  it('is let through as it is documented', async () => {
    sent = { 'retry-after': '5' };
    expect(await ask()).toBe(200);
  });

  it('fails the test with a member that is not documented', async () => {
    body = { name: 'x', more: 1 };
    await expect(ask()).rejects.toThrow('must NOT have additional properties');
  });

  it('fails the test with a header that is not declared', async () => {
    sent = { etag: '"1"' };
    await expect(ask()).rejects.toThrow('things.get 200 does not declare the header etag: "1"');
  });

  it.each([{ 'retry-after': 'soon' }, { 'retry-after': '0' }, { 'x-request-id': '1' }])(
    'fails the test with a header of another form: %p',
    async (header) => {
      sent = header;
      await expect(ask()).rejects.toThrow(/things\.get 200 declares another form of the header/);
    },
  );
});
