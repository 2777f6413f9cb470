import { settledWithin } from '@app/runtime';
import type { Socket } from 'node:net';
import type { Client } from 'pg';

/** How long the server has to confirm the end of a connection. */
const farewellMs = 1_000;

/** The socket of a connection. */
export function socketOf(client: Client): Socket {
  // Reason for the assertion: @types/pg does not show the connection; its stream is the socket.
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}

/** Ends a connection, and breaks it off if the server does not answer. Never rejects. */
export async function endConnection(client: Client): Promise<void> {
  const ended = client.end().catch(() => undefined); // the connection is already gone
  if (!(await settledWithin([ended], farewellMs))) socketOf(client).destroy();
}

/**
 * The connections of a pool. One on which the server is silent for too long is closed, and its query fails. A lost host or a hanging server
 * leaves connections open without an answer, and the server's own time-outs do not apply then.
 */
export class WatchedConnections {
  private readonly sockets = new Set<Socket>();

  constructor(private silenceMs: number) {}

  watch(client: Client): void {
    const socket = socketOf(client);
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.setTimeout(this.silenceMs, () => socket.destroy());
  }

  /** Allows this much silence from now on, on open connections and new ones. */
  expectWithin(silenceMs: number): void {
    this.silenceMs = silenceMs;
    for (const socket of this.sockets) socket.setTimeout(silenceMs);
  }

  /** Waits briefly for all of them to end, and breaks off the remaining ones. */
  async end(ending: Promise<unknown>): Promise<void> {
    if (await settledWithin([ending], farewellMs)) return;
    for (const socket of this.sockets) socket.destroy();
  }
}
