import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fetchWithoutRedirects } from '../src';

// Jest's global object has no `gc`; a context that is created while the flag is set has one.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

describe('fetchWithoutRedirects', () => {
  const asked: string[] = [];
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { url: path = '' } = request;
      asked.push(path);
      const status = Number(path.slice(1));
      response.writeHead(status, { location: '/200' });
      if (status === 200) response.write('the first word');
      else response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // Reason for the assertion: a server that listens on TCP has such an address.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => asked.splice(0));

  it('stops waiting for a silent body when its signal aborts, also after a garbage collection', async () => {
    const stop = new AbortController();
    // Keeps only the body, so that the response itself can be collected.
    const read = async () => (await fetchWithoutRedirects(`${url}/200`, { signal: stop.signal })).text();
    const reading = expect(read()).rejects.toThrow('aborted');
    while (asked.length === 0) await nextTurn();
    for (let round = 0; round < 5; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      collectGarbage();
    }
    stop.abort();
    await reading;
  });

  it.each([301, 302, 303, 307, 308])('goes nowhere else with status %d', async (status) => {
    await expect(fetchWithoutRedirects(`${url}/${status}`, { method: 'POST', body: 'secret' })).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { message: 'unexpected redirect' },
    });
    expect(asked).toEqual([`/${status}`]);
  });

  it.each([304, 404])('answers with status %d as it is', async (status) => {
    expect((await fetchWithoutRedirects(`${url}/${status}`)).status).toBe(status);
  });
});
