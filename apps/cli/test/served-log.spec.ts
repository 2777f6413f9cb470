/** Requests to a log over HTTP are retried after the time that its service names, up to a maximum. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servedLog } from '../src/audit/log-places';

const later = ['0.2', new Date(Date.now() - 1_000).toUTCString()];
let asked = 0;
let pauses: readonly string[] = [];
const server = createServer((_, response) => {
  const pause = pauses[asked];
  asked += 1;
  if (pause === undefined) response.writeHead(200).end('tree');
  else response.writeHead(429, { 'retry-after': pause }).end();
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function read(given: readonly string[]): Promise<string> {
  [asked, pauses] = [0, given];
  const log = servedLog(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined);
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
