/** Writes that docker/Caddyfile cannot hand to a replica, and writes that break off at one. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { installedWithinMs } from '@app/testing/programs';
import { until } from '@app/testing/until';
import { type ShippedProxy, startShippedProxy } from './shipped-proxy';

/** A replica of the test: whether it is ready, and what it does with a write. */
class Replica {
  isReady = true;
  writes = 0;
  checks = 0;
  onWrite: RequestListener = (_, response) => void response.writeHead(201).end();
  private readonly server: Server = createServer((request, response) => {
    if (request.url === '/readyz') {
      this.checks += 1;
      response.writeHead(this.isReady ? 200 : 503).end('{"status":"ok"}');
    } else {
      this.writes += 1;
      this.onWrite(request, response);
    }
  });

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    // Reason for the assertion: a server that listens on TCP has such an address.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Waits until the proxy has asked twice more for its state, so that it knows of a change. */
  async checked(): Promise<void> {
    const seen = this.checks;
    await until('two checks', () => Promise.resolve(this.checks >= seen + 2 || null));
  }
}

let replicas: readonly [Replica, Replica];
let proxy: ShippedProxy;
beforeEach(async () => {
  replicas = [new Replica(), new Replica()];
  proxy = await startShippedProxy('caddy', [await replicas[0].listen(), await replicas[1].listen()]);
}, installedWithinMs);
afterEach(async () => {
  await proxy.stop();
  for (const replica of replicas) replica.close();
});

const write = () => fetch(`${proxy.url}/v1/conversations`, { method: 'POST', body: '{}' });
const writes = () => replicas.map((replica) => replica.writes);

it('a write that reached no replica is refused as one to be sent again', async () => {
  const [closed, unready] = replicas;
  unready.isReady = false;
  await unready.checked();
  // It was ready when the proxy asked last, so it is tried.
  closed.close();
  const answer = await write();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
  expect(await answer.json()).toMatchObject({ type: 'urn:parley:error:unavailable', retryable: true });
  expect(writes()).toEqual([0, 0]);
});

it('a write that reached one of two replicas is served while the other one is away', async () => {
  replicas[0].close();
  const statuses = [await write(), await write(), await write()].map(({ status }) => status);
  expect([statuses, writes()]).toEqual([
    [201, 201, 201],
    [0, 3],
  ]);
});

it('a write that broke off after it was sent is sent once, and not called one to be sent again', async () => {
  for (const replica of replicas) replica.onWrite = (request) => void request.socket.resetAndDestroy();
  expect((await write()).status).toBe(502);
  expect(writes().sort()).toEqual([0, 1]);
});
