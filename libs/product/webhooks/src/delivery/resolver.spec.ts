import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { NameServers } from './resolver';

const sockets: Socket[] = [];
afterAll(() => sockets.forEach((socket) => socket.close()));

/** A name server that accepts queries and answers none. */
async function silentServer(): Promise<string> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return `127.0.0.1:${socket.address().port}`;
}

it('a name whose servers are silent holds up no other, and is given up', async () => {
  const resolver = new NameServers([await silentServer()]);
  let ended = 0;
  const asked = Array.from({ length: 8 }, async () => {
    try {
      await resolver.resolve('partner.example');
    } finally {
      ended += 1;
    }
  });
  const outcomes = Promise.allSettled(asked);
  // Both of these would wait for the eight queries if the system resolver made those.
  await dns.lookup('localhost');
  expect(await resolver.resolve('localhost')).not.toEqual([]);
  expect(ended).toBe(0);
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'ETIMEOUT' } });
}, 60_000);

it('what name servers do not know is asked of the system', async () => {
  const resolver = new NameServers(['127.0.0.1:9']); // no server listens there
  await expect(resolver.resolve('nobody.invalid')).rejects.toMatchObject({ syscall: 'getaddrinfo' });
});
