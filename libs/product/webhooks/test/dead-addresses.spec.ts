/** A receiver whose name has addresses that lead nowhere. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Configuration, readConfiguration } from '@app/settings';
import { Resolver } from '../src/delivery/resolver';
import { Sender } from '../src/delivery/sender';
import { receiverCertificate } from './receiver-certificate';

class Fixed extends Resolver {
  asked = 0;
  constructor(private readonly addresses: readonly string[]) {
    super();
  }
  override resolve(): Promise<readonly LookupAddress[]> {
    this.asked += 1;
    return Promise.resolve(this.addresses.map((address) => ({ address, family: net.isIP(address) })));
  }
}

const deadOnes = Array.from({ length: 6 }, (_, index) => `127.0.1.${index + 1}`);
const senders: Sender[] = [];
const servers: Server[] = [];
const children: ChildProcess[] = [];
const queued = new Set<Socket>();
const { signal } = new AbortController();
const { request: requestOf } = https;

const attemptTimeoutMs = net.getDefaultAutoSelectFamilyAttemptTimeout();
beforeAll(() => {
  net.setDefaultAutoSelectFamilyAttemptTimeout(2_500); // as in every process (scripts/app-main.cjs)
  jest
    .spyOn(https, 'request')
    .mockImplementation((url, options) => requestOf(url, { ...(options as object), ca: receiverCertificate.cert }));
});
afterAll(async () => {
  for (const sender of senders) sender.close();
  for (const socket of queued) socket.destroy();
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  net.setDefaultAutoSelectFamilyAttemptTimeout(attemptTimeoutMs);
  jest.restoreAllMocks();
});

function senderTo(resolver: Resolver, allowed = true): Sender {
  const environment = { LOG_LEVEL: 'silent', WEBHOOK_ALLOW_PRIVATE: String(allowed) };
  const sender = new Sender(new Configuration(readConfiguration(environment).env), resolver);
  senders.push(sender);
  return sender;
}

const message = (url: string) => ({ url, headers: {}, body: Buffer.from('{}') });

/** Makes addresses of this machine dead at a port: a stopped process listens, and its kernel drops what its queue has no room for. */
async function kill(addresses: readonly string[], port: number): Promise<void> {
  const program = `for (const host of ${JSON.stringify(addresses)})
    require('net').createServer().listen({ host, port: ${port}, backlog: 1 }, () => console.log('ready'))`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let ready = '';
  for await (const chunk of child.stdout) {
    ready += String(chunk);
    if (ready.split('ready').length > addresses.length) break;
  }
  child.kill('SIGSTOP');
  for (const host of addresses)
    for (let count = 0; count < 8; count += 1) queued.add(net.connect({ host, port }).on('error', () => undefined));
  await sleep(200);
}

async function portOf(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it.each(['http', 'https'])(
  'six dead addresses before the good one do not lose a message by %s',
  async (scheme) => {
    const answer = (_: unknown, response: http.ServerResponse) => response.writeHead(204).end();
    const port = await portOf(
      scheme === 'http' ? http.createServer(answer) : https.createServer(receiverCertificate, answer),
    );
    await kill(deadOnes, port);
    const resolver = new Fixed([...deadOnes, '127.0.0.1']);
    const sender = senderTo(resolver);
    const startedMs = performance.now();
    for (let time = 0; time < 2; time += 1)
      expect(await sender.post(message(`${scheme}://receiver.example:${port}/`), signal)).toEqual({
        kind: 'delivered',
        status: 204,
      });
    expect(performance.now() - startedMs).toBeLessThan(6_000);
    expect(resolver.asked).toBe(1); // the connection was kept
  },
  60_000,
);

it('the first of several addresses that refuse says why, and a private one among public ones refuses all', async () => {
  const refusing = senderTo(new Fixed(['127.0.0.1', '::1', '127.0.0.2']));
  const failed = { kind: 'failed', failure: 'not_connected' };
  expect(await refusing.post(message('http://receiver.example:9/'), signal)).toMatchObject(failed);
  const connecting = jest.spyOn(net, 'connect');
  const guarded = senderTo(new Fixed(['93.184.215.14', '93.184.215.15', '10.0.0.1']), false);
  const refused = { kind: 'failed', failure: 'address_refused' };
  expect(await guarded.post(message('http://receiver.example/'), signal)).toMatchObject(refused);
  expect(connecting).not.toHaveBeenCalled();
});

it('attempts to connect end with their signal', async () => {
  const server = net.createServer();
  const port = await portOf(server);
  await kill(deadOnes.slice(0, 1), port);
  const stopping = new AbortController();
  const posted = senderTo(new Fixed(deadOnes.slice(0, 1))).post(
    message(`http://receiver.example:${port}/`),
    stopping.signal,
  );
  await sleep(100);
  const startedMs = performance.now();
  stopping.abort();
  expect(await posted).toMatchObject({ kind: 'failed', failure: 'timeout' });
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});
