/** Requests to a log over HTTP are retried after the time that its service names, up to a maximum. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servedLog } from '../src/audit/log-places';

const later = ['0.2', new Date(Date.now() - 1_000).toUTCString()];
let asked = 0;
let pauses: readonly string[] = [];
const server = createServer((request, response) => {
  if (request.url?.startsWith('/cut/') === true) {
    response.writeHead(200, { 'content-length': '100' }).write('abc', () => response.destroy());
    return;
  }
  if (request.url?.startsWith('/endless/') === true) return pour(response);
  const pause = pauses[asked];
  asked += 1;
  if (pause === undefined) response.writeHead(200).end('tree');
  else response.writeHead(429, { 'retry-after': pause }).end();
});
/** Sends bytes until the client leaves. */
function pour(response: ServerResponse): void {
  const piece = Buffer.alloc(1024 * 1024);
  const more = (): void => {
    if (response.writable) response.write(piece, more);
  };
  response.writeHead(200);
  more();
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function read(given: readonly string[], below = ''): Promise<string> {
  [asked, pauses] = [0, given];
  const log = servedLog(`http://127.0.0.1:${(server.address() as AddressInfo).port}${below}`, undefined);
  const bytes = await log.read('checkpoint');
  return Buffer.from(bytes ?? []).toString();
}

it('waits as long as Retry-After asks for, in seconds or until a date', async () => {
  expect([await read(later), asked]).toEqual(['tree', 3]);
});

it.each(['86400', '9999999', 'soon', '-3'])('ends at once where Retry-After is %s', async (pause) => {
  await expect(read([pause])).rejects.toThrow(/answered 429$/);
  expect(asked).toBe(1);
});

it('ends with a sentence where a body is cut, or never ends', async () => {
  await expect(read([], '/cut')).rejects.toThrow(/^http:\S+ does not answer \(its answer was cut off\)/);
  await expect(read([], '/endless')).rejects.toThrow(
    /^http:\S+ does not answer \(an answer of more than 17825792 bytes\)/,
  );
});
