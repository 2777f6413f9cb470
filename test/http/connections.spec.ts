import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '@app/runtime';
import { until } from '@app/testing/until';
import { goodKey, type Loopback, startLoopback } from '@app/testing/http';

/** Real seconds: short, because every test waits for them, and long compared with anything that the service does. */
const env = {
  CONNECTION_QUIET_SECONDS: '3',
  TRANSFER_SECONDS: '8',
  CONNECTIONS_PER_REPLICA: '3',
  STREAMS_PER_REPLICA: '1',
};

let loopback: Loopback;
let credentials: string;
let userId: string;
const opened: Socket[] = [];
beforeEach(async () => {
  loopback = await startLoopback(env);
  userId = loopback.accounts.add(loopback.issuer.issuer, 'alice');
  credentials = `Host: x\r\nX-Api-Key: ${goodKey}\r\nAuthorization: Bearer ${await loopback.issuer.token()}\r\n`;
});
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  await loopback.stop();
});

/** A connection on which `said` was sent, with the answer so far. */
async function open(said = ''): Promise<{ socket: Socket; answered: () => string; closed: Promise<unknown> }> {
  const socket = connect(loopback.port, '127.0.0.1');
  opened.push(socket);
  let answered = '';
  socket.on('data', (chunk: Buffer) => (answered += chunk.toString()));
  socket.on('error', () => undefined); // some are reset
  const closed = once(socket, 'close').catch(() => undefined); // a reset ends it too
  await once(socket, 'connect');
  socket.write(said);
  return { socket, answered: () => answered, closed };
}

const create = () => `POST /v1/users/${userId}/things HTTP/1.1\r\n${credentials}Content-Type: application/json\r\n`;

describe('a connection that keeps the service waiting is closed', () => {
  it('which sends nothing', async () => {
    const { answered, closed } = await open();
    await closed;
    expect(answered()).toBe('');
  });

  it('which never ends its head, however steadily it sends', async () => {
    const { socket, answered, closed } = await open('GET /healthz HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('X-More: 1\r\n'), 200);
    await closed;
    clearInterval(drip);
    expect(answered()).toMatch(/^HTTP\/1.1 400 .*"took too long to arrive"/s);
  });

  it('which never ends its JSON body, however steadily it sends', async () => {
    const { socket, answered, closed } = await open(`${create()}Content-Length: 1000\r\n\r\n{"name":"`);
    const drip = setInterval(() => socket.write('a'), 200);
    await closed;
    clearInterval(drip);
    expect(answered()).toMatch(/^HTTP\/1.1 400 .*"took too long to arrive"/s);
  });

  it('which is idle after an answer', async () => {
    const { answered, closed } = await open('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed;
    expect(answered()).toMatch(/^HTTP\/1.1 200 /);
  });

  it('which is silent within an upload', async () => {
    const { closed } = await open(
      `POST /v1/users/${userId}/pours HTTP/1.1\r\n${credentials}Content-Length: 100\r\n\r\nabc`,
    );
    await closed;
  });

  it('which sends an upload too slowly to its end', async () => {
    const { socket, closed } = await open(
      `POST /v1/users/${userId}/pours HTTP/1.1\r\n${credentials}Content-Length: 100000\r\n\r\n`,
    );
    const drip = setInterval(() => socket.write('abc'), 200);
    await closed;
    clearInterval(drip);
  });

  it('which does not read its answer', async () => {
    const { socket, answered } = await open();
    socket.pause();
    socket.write(`GET /v1/users/${userId}/flood HTTP/1.1\r\n${credentials}\r\n`);
    const connections = () =>
      new Promise<number>((resolve) =>
        loopback.app.getHttpServer().getConnections((_: unknown, count: number) => resolve(count)),
      );
    await until('the answer is given up', async () => ((await connections()) === 0 ? true : null));
    expect(answered()).toBe('');
  });
});

describe('a connection that is not at fault stays', () => {
  it('while its request is worked on for longer than a client may be silent', async () => {
    const { answered } = await open(`GET /v1/users/${userId}/patience HTTP/1.1\r\n${credentials}\r\n`);
    await until('the answer', async () => (answered().startsWith('HTTP/1.1 200 ') ? true : null));
  });

  it('while an upload comes steadily, for longer than a client may be silent', async () => {
    const { socket, answered } = await open(
      `POST /v1/users/${userId}/pours HTTP/1.1\r\n${credentials}Content-Length: 48\r\n\r\n`,
    );
    for (let sent = 0; sent < 16; sent += 1) {
      socket.write('abc');
      await sleep(250);
    }
    await until('the answer', async () => (answered().endsWith('{"bytes":48}') ? true : null));
  });
});

describe('one connection too many', () => {
  it('is closed as it comes and counted, and those inside do not notice', async () => {
    const inside = await Promise.all([open(), open(), open(), open()]);
    const outside = await open();
    await outside.closed;
    expect(outside.answered()).toBe('');
    for (const { socket } of inside) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const isAnswered = ({ answered }: (typeof inside)[number]) => answered().startsWith('HTTP/1.1 200 ');
    await until('answers', async () => (inside.every(isAnswered) ? true : null));
    const metrics = await loopback.app.get(Metrics, { strict: false }).registry.metrics();
    expect(metrics).toContain('http_connections_refused_total 1');
  });
});
