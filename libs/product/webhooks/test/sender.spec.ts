import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttpServer, request } from 'node:http';
import https from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Configuration, readConfiguration } from '@app/settings';
import { PartnerEndpoint } from '@app/testing/webhooks';
import { Webhook } from 'standardwebhooks';
import { guardedLookup } from '../src/delivery/guarded-lookup';
import { NameServers, Resolver } from '../src/delivery/resolver';
import { Sender } from '../src/delivery/sender';
import { receiverCertificate } from './receiver-certificate';

/** A name server whose answers change from one query to the next. */
class ChangingResolver extends Resolver {
  asked = 0;
  constructor(private readonly answers: readonly (readonly string[])[]) {
    super();
  }
  override async resolve(): Promise<readonly LookupAddress[]> {
    const answer = this.answers[Math.min(this.asked, this.answers.length - 1)] ?? [];
    this.asked += 1;
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }
}

const senders: Sender[] = [];
const servers: Server[] = [];
const sockets = new Set<Socket>();
let partner: PartnerEndpoint;
beforeAll(async () => {
  partner = await new PartnerEndpoint().listen();
  partner.secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
});
afterAll(async () => {
  for (const sender of senders) sender.close();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  await partner.leave();
});

function senderOf(resolver: Resolver, env: Record<string, string> = { WEBHOOK_ALLOW_PRIVATE: 'false' }): Sender {
  const configuration = new Configuration(readConfiguration({ LOG_LEVEL: 'silent', ...env }).env);
  const sender = new Sender(configuration, resolver);
  senders.push(sender);
  return sender;
}

/** A server that runs `does` on each connection after receiving its first data. */
async function serverThat(does: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => does(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const message = (url: string) => {
  const [id, at, body] = ['msg_1', new Date(), '{"type":"x","data":{}}'];
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(partner.secret).sign(id, at, body),
  };
  return { url, headers, body: Buffer.from(body) };
};
const { signal } = new AbortController();
const publicOnly = new ChangingResolver([['127.0.0.1']]);
const anywhere = { WEBHOOK_ALLOW_PRIVATE: 'true' };
const failedBy = (failure: string) => ({ kind: 'failed', failure });

/**
 * Every way to spell an address of this machine, its networks or a cloud's metadata, and names that resolve to them.
 */
const urls = [
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '2130706433',
  '017700000001',
  '0',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '10.0.0.1',
  '172.20.0.1',
  '192.168.0.10',
  '169.254.169.254',
  '0xa9fea9fe',
  '100.100.100.200',
  '192.0.0.192',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '203.0.113.1',
  '１２７.0.0.1',
  '127。0。0。1',
].map((host) => `http://${host}/`);

const names: readonly (readonly [string, readonly string[]])[] = [
  ['of this machine', ['127.0.0.1']],
  ['of a network', ['10.1.2.3']],
  ['of a cloud’s metadata', ['169.254.169.254']],
  ['of this machine, in IPv6', ['::1']],
  ['mapped', ['::ffff:127.0.0.1']],
  ['one of which is public', ['93.184.215.14', '127.0.0.1']],
  ['none', []],
];

it('at least 40 addresses are tried', () => expect(urls.length + names.length).toBeGreaterThanOrEqual(40));

it.each(urls)('%s is not reached', async (url) => {
  const resolver = new ChangingResolver([['127.0.0.1']]);
  expect(await senderOf(resolver).post(message(url), signal)).toMatchObject(failedBy('address_refused'));
});

it.each(names)('a name with addresses %s is not reached', async (_, addresses) => {
  const sender = senderOf(new ChangingResolver([addresses]));
  expect(await sender.post(message('http://partner.example/'), signal)).toMatchObject(failedBy('address_refused'));
});

it('a name that has another address a moment later leads nowhere else', async () => {
  const reached: string[] = [];
  const servers = ['127.0.0.1', '127.0.0.2'].map((address) =>
    createHttpServer((_, response) => response.end(reached.push(address).toString())),
  );
  const [bad, good] = servers;
  if (bad === undefined || good === undefined) throw new Error('there are two');
  await new Promise<void>((resolve) => bad.listen(0, '127.0.0.1', resolve));
  const { port } = bad.address() as AddressInfo;
  await new Promise<void>((resolve) => good.listen(port, '127.0.0.2', resolve));
  // In this test one address of this machine represents a public one: the name resolves to it when it is checked, and
  // to the other one afterwards.
  const resolver = new ChangingResolver([['127.0.0.2'], ['127.0.0.1']]);
  const lookup = guardedLookup(resolver, (address) => address === '127.0.0.2');
  const ask = () =>
    new Promise<string>((resolve) => {
      const asked = request(`http://partner.example:${port}/`, { lookup, agent: false });
      asked.on('response', (response) => resolve(String(response.resume().statusCode)));
      asked.on('error', (error) => resolve(error.constructor.name)).end();
    });
  expect([await ask(), await ask()]).toEqual(['200', 'AddressRefused']);
  expect([reached, resolver.asked]).toEqual([['127.0.0.2'], 2]);
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
});

it('production takes https alone', async () => {
  const production = new Configuration({
    ...readConfiguration({ LOG_LEVEL: 'silent' }).env,
    PARLEY_MODE: 'production',
    WEBHOOK_ALLOW_PRIVATE: true,
  });
  const sender = new Sender(production, publicOnly);
  senders.push(sender);
  expect(await sender.post(message(partner.url), signal)).toMatchObject(failedBy('address_refused'));
  expect(await sender.post(message('ftp://partner.example/'), signal)).toMatchObject(failedBy('address_refused'));
});

it('a sandbox reaches this machine unless it is told otherwise', async () => {
  expect(await senderOf(publicOnly, {}).post(message(partner.url), signal)).toEqual({ kind: 'delivered', status: 204 });
});

it.each([
  ['fail', { failure: 'status', status: 500 }],
  ['redirect', { failure: 'redirect', status: 307 }],
  ['gone', { failure: 'status', status: 410 }],
  ['close', { failure: 'cut_off', status: null }],
  ['cut', { failure: 'cut_off', status: null }],
] as const)('an endpoint that says %s has not taken the message', async (manner, failed) => {
  const sender = senderOf(publicOnly, anywhere);
  partner.manner = () => manner;
  const before = partner.heard.length;
  expect(await sender.post(message(partner.url), signal)).toMatchObject({ kind: 'failed', ...failed });
  expect(partner.heard.length - before).toBe(1);
  partner.manner = () => 'take';
});

it('a kept connection that has ended is no failure', async () => {
  const sender = senderOf(publicOnly, anywhere);
  for (let n = 0; n < 3; n += 1) {
    expect(await sender.post(message(partner.url), signal)).toMatchObject({ kind: 'delivered' });
    await partner.leave();
    await partner.listen();
  }
});

it('nobody there, no such name, no HTTP, no TLS: each is told apart', async () => {
  const sender = senderOf(new NameServers(), anywhere);
  const noHttp = await serverThat((socket) => socket.end('SSH-2.0-x\r\n'));
  expect(await sender.post(message('http://127.0.0.1:9/'), signal)).toMatchObject(failedBy('not_connected'));
  expect(await sender.post(message('http://nobody.invalid/'), signal)).toMatchObject(failedBy('not_resolved'));
  expect(await sender.post(message(noHttp), signal)).toMatchObject(failedBy('not_http'));
  const notTls = partner.url.replace('http:', 'https:');
  expect(await sender.post(message(notTls), signal)).toMatchObject(failedBy('tls'));
});

it.each([
  ['receiver.example', 'delivered'],
  ['receiver.example.', 'delivered'],
  ['other.example.', 'failed'],
])('%s is named to TLS without a dot at its end, and the certificate is checked: %s', async (host, kind) => {
  const named: string[] = [];
  const strict = https.createServer({
    ...receiverCertificate,
    SNICallback: (name, done) => (named.push(name), done(name.endsWith('.') ? new Error('no host name') : null)),
  });
  strict.on('request', (_, response) => response.writeHead(204).end());
  servers.push(strict.listen(0, '127.0.0.1'));
  await once(strict, 'listening');
  const { request: requestOf } = https;
  const trusting = jest
    .spyOn(https, 'request')
    .mockImplementation((url, options) => requestOf(url, { ...(options as object), ca: receiverCertificate.cert }));
  const url = `https://${host}:${(strict.address() as AddressInfo).port}/x`;
  const sender = senderOf(new ChangingResolver([['127.0.0.1']]), anywhere);
  expect(await sender.post(message(url), signal)).toMatchObject(kind === 'failed' ? failedBy('tls') : { kind });
  expect(new Set(named)).toEqual(new Set([host.replace(/\.$/, '')]));
  trusting.mockRestore();
});

it('a body without end is thrown away: the status has said it', async () => {
  const sender = senderOf(publicOnly, anywhere);
  const flood = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  const endless = await serverThat((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n');
    const pour = (): void => {
      if (!socket.destroyed) socket.write(flood, () => pour());
      sent += flood.length;
    };
    pour();
  });
  const silent = await serverThat((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n'));
  expect(await sender.post(message(endless), signal)).toEqual({ kind: 'delivered', status: 200 });
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  expect(await sender.post(message(silent), signal)).toEqual({ kind: 'delivered', status: 200 });
});

it('Retry-After is heard in seconds, also with a fraction, and as a date; anything else asks for nothing', async () => {
  const sender = senderOf(publicOnly, anywhere);
  let asked = '';
  const busy = await serverThat((socket) =>
    socket.end(`HTTP/1.1 429 Too Many\r\nretry-after: ${asked}\r\ncontent-length: 0\r\n\r\n`),
  );
  const pause = async (value: string): Promise<number | null> => {
    asked = value;
    const outcome = await sender.post(message(busy), signal);
    return outcome.kind === 'failed' ? outcome.retryAfterMs : NaN;
  };
  expect([await pause('120'), await pause('1.5'), await pause('999999999')]).toEqual([120_000, 1_500, 86_400_000]);
  const inAnHour = await pause(new Date(Date.now() + 3_600_000).toUTCString());
  expect(inAnHour).toBeGreaterThan(3_590_000);
  expect(inAnHour).toBeLessThanOrEqual(3_600_000);
  expect([await pause('-3'), await pause('soon')]).toEqual([null, null]);
});
