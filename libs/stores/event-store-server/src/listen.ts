import { chmod, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { ServerCredentials, type Server } from '@grpc/grpc-js';

export type Listen = { readonly socketPath: string } | { readonly host: string; readonly port: number };

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
/** Size of `sun_path` without its terminating zero on macOS (104), the smaller one; Linux has 108. */
const SOCKET_PATH_BYTES_MAX = 103;
const OWNER_ONLY = 0o600;

/**
 * Binds the server and returns the address for clients: `unix:/path` or `host:port`. Without TLS the protocol carries no credentials, so
 * every client that reaches the socket is trusted: it must be loopback, or a socket of this user only.
 */
export async function bind(server: Server, listen: Listen): Promise<string> {
  if ('socketPath' in listen) {
    await makeWayFor(listen.socketPath);
    await bindTo(server, `unix:${listen.socketPath}`);
    await chmod(listen.socketPath, OWNER_ONLY);
    return `unix:${listen.socketPath}`;
  }
  if (!LOOPBACK.has(listen.host)) throw new Error(`the event store listens on loopback only, not on ${listen.host}`);
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `${host}:${await bindTo(server, `${host}:${listen.port}`)}`;
}

function bindTo(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

/** Removes the socket file that a killed server left behind, if no server answers on it. */
async function makeWayFor(socketPath: string): Promise<void> {
  if (Buffer.byteLength(socketPath) > SOCKET_PATH_BYTES_MAX) {
    throw new Error(`a socket path has at most ${SOCKET_PATH_BYTES_MAX} bytes: ${socketPath}`);
  }
  const inUse = await new Promise<boolean>((resolve) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
  if (inUse) throw new Error(`another server listens on ${socketPath}`);
  await unlink(socketPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
