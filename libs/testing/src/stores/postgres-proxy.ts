import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * A route to PostgreSQL over TCP on which connections can fall silent, as when a host or a network is lost.
 *
 * Source: RFC 9293, section 3.8.3 (TCP notices a lost peer only at a time-out); a PostgreSQL whose processes are
 * stopped (SIGSTOP).
 */
export interface PostgresProxy {
  /** URL of the database through the proxy. */
  readonly url: string;
  /** Returns the ports from which its clients are connected. */
  clientPorts(): number[];
  /** Returns the number of connections that forward nothing any more. */
  silent(): number;
  /** From now on, a connection on which a client sends this text forwards nothing any more, in neither direction. */
  silence(text: string): void;
  /**
   * From now on, a connection on which a client sends this text forwards nothing that the client sends, until the
   * release.
   */
  hold(text: string): { readonly isHolding: () => boolean; readonly release: () => void };
  /**
   * From now on, a connection on which a client sends this text breaks, until `mend` is called; `times` returns how
   * often that happened.
   */
  breakAt(text: string): { readonly times: () => number; readonly mend: () => void };
  /** Breaks all connections, and stops listening. */
  close(): Promise<void>;
}

interface Hold {
  readonly text: string;
  readonly kept: { readonly to: Socket; readonly bytes: Buffer }[];
}

/** The faults of connections from now on. */
interface Faults {
  readonly silences: string[];
  readonly holds: Hold[];
  readonly breaks: { readonly text: string; times: number }[];
  /** Number of silent connections. */
  silent: number;
}

/** @param databaseUrl names a server on this machine by the folder of its socket */
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
    socket.on('error', () => undefined); // the other side is notified by the end of its connection
    socket.on('close', () => {
      // A lost peer does not announce its end either.
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
