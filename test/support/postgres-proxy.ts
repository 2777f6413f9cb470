import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * A way to PostgreSQL over TCP on which connections can fall silent, as when a host or a network is lost.
 *
 * Source: RFC 9293, section 3.8.3 (TCP notices a lost peer only at a time-out); a PostgreSQL whose processes stand still (SIGSTOP).
 */
export interface PostgresProxy {
  /** Of the database, by this way. */
  readonly url: string;
  /** Ports from which its clients are connected. */
  clientPorts(): number[];
  /** How many connections pass nothing on any more. */
  silent(): number;
  /** From now on, connections on which a client says this text pass nothing on any more, in neither direction. */
  silence(text: string): void;
  /** From now on, a connection on which a client says this text passes on nothing that the client says, until the release. */
  hold(text: string): { readonly isHolding: () => boolean; readonly release: () => void };
  /** From now on, a connection on which a client says this text breaks, until it is mended; answers how often that was. */
  breakAt(text: string): { readonly times: () => number; readonly mend: () => void };
  /** Breaks all connections, and listens no more. */
  close(): Promise<void>;
}

interface Hold {
  readonly text: string;
  readonly kept: { readonly to: Socket; readonly bytes: Buffer }[];
}

/** @param databaseUrl of a server of this machine, by its socket's folder */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const path = join(target.searchParams.get('host') ?? '', `.s.PGSQL.${target.port || '5432'}`);
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const texts: string[] = [];
  const holds: Hold[] = [];
  const faults: { readonly text: string; times: number }[] = [];
  let silent = 0;
  const server = createServer((client) => {
    const postgres = createConnection(path);
    let isSilent = false;
    clients.add(client);
    client.on('close', () => clients.delete(client));
    client.on('data', (bytes) => {
      if (!isSilent && texts.some((text) => bytes.includes(text))) {
        isSilent = true;
        silent++;
      }
      if (isSilent) return;
      const fault = faults.find(({ text }) => bytes.includes(text));
      if (fault !== undefined) {
        fault.times += 1;
        return void client.destroy();
      }
      const hold = holds.find(({ text, kept }) => kept.some(({ to }) => to === postgres) || bytes.includes(text));
      if (hold === undefined) postgres.write(bytes);
      else hold.kept.push({ to: postgres, bytes });
    });
    postgres.on('data', (bytes) => void (isSilent || client.write(bytes)));
    for (const socket of [client, postgres]) {
      sockets.add(socket);
      socket.on('error', () => undefined); // the other side learns of it by the end
      socket.on('close', () => {
        sockets.delete(socket);
        // Nor does a lost side say that it ends.
        if (isSilent) return;
        client.destroy();
        postgres.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  // Reason for the assertion: a listening TCP server has an address and a port.
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    clientPorts: () => [...clients].map(({ remotePort }) => remotePort ?? 0),
    silent: () => silent,
    silence: (text) => void texts.push(text),
    hold: (text) => {
      const hold: Hold = { text, kept: [] };
      holds.push(hold);
      return {
        isHolding: () => hold.kept.length > 0,
        release: () => {
          holds.splice(holds.indexOf(hold), 1);
          for (const { to, bytes } of hold.kept) to.write(bytes);
        },
      };
    },
    breakAt: (text) => {
      const fault = { text, times: 0 };
      faults.push(fault);
      return { times: () => fault.times, mend: () => void faults.splice(faults.indexOf(fault), 1) };
    },
    close: async () => {
      const closed = once(server.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
