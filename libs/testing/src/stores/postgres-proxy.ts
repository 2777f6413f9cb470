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

/** What happens to the connections from now on. */
interface Faults {
  readonly silences: string[];
  readonly holds: Hold[];
  readonly breaks: { readonly text: string; times: number }[];
  /** Connections that are silent. */
  silent: number;
}

/** @param databaseUrl of a server of this machine, by its socket's folder */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const path = join(target.searchParams.get('host') ?? '', `.s.PGSQL.${target.port || '5432'}`);
  const faults: Faults = { silences: [], holds: [], breaks: [], silent: 0 };
  const clients = new Set<Socket>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const postgres = createConnection(path);
    clients.add(client);
    client.on('close', () => clients.delete(client));
    for (const socket of [client, postgres]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    passOn(client, postgres, faults);
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
    ...commandsOf(faults),
    close: async () => {
      const closed = once(server.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function passOn(client: Socket, postgres: Socket, faults: Faults): void {
  let isSilent = false;
  client.on('data', (bytes) => {
    if (!isSilent && faults.silences.some((text) => bytes.includes(text))) {
      isSilent = true;
      faults.silent++;
    }
    if (isSilent) return;
    const broken = faults.breaks.find(({ text }) => bytes.includes(text));
    if (broken !== undefined) {
      broken.times += 1;
      return void client.destroy();
    }
    const hold = faults.holds.find(({ text, kept }) => kept.some(({ to }) => to === postgres) || bytes.includes(text));
    if (hold === undefined) postgres.write(bytes);
    else hold.kept.push({ to: postgres, bytes });
  });
  postgres.on('data', (bytes) => void (isSilent || client.write(bytes)));
  for (const socket of [client, postgres]) {
    socket.on('error', () => undefined); // the other side learns of it by the end
    socket.on('close', () => {
      // Nor does a lost side say that it ends.
      if (isSilent) return;
      client.destroy();
      postgres.destroy();
    });
  }
}

function commandsOf(faults: Faults): Pick<PostgresProxy, 'silent' | 'silence' | 'hold' | 'breakAt'> {
  return {
    silent: () => faults.silent,
    silence: (text) => void faults.silences.push(text),
    hold: (text) => {
      const hold: Hold = { text, kept: [] };
      faults.holds.push(hold);
      return {
        isHolding: () => hold.kept.length > 0,
        release: () => {
          faults.holds.splice(faults.holds.indexOf(hold), 1);
          for (const { to, bytes } of hold.kept) to.write(bytes);
        },
      };
    },
    breakAt: (text) => {
      const broken = { text, times: 0 };
      faults.breaks.push(broken);
      return { times: () => broken.times, mend: () => void faults.breaks.splice(faults.breaks.indexOf(broken), 1) };
    },
  };
}
