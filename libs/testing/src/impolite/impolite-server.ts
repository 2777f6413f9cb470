import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { impoliteKinds, type ImpoliteKind, type Impoliteness } from './kinds';

/** A server of one kind on 127.0.0.1. */
export class ImpoliteServer {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private readonly behaviour: Impoliteness;
  /** Number of connections accepted so far. */
  taken = 0;

  private constructor(readonly kind: ImpoliteKind) {
    this.behaviour = impoliteKinds[kind];
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.take(socket));
  }

  static async start(kind: ImpoliteKind): Promise<ImpoliteServer> {
    const impolite = new ImpoliteServer(kind);
    impolite.server.listen(0, '127.0.0.1');
    await once(impolite.server, 'listening');
    return impolite;
  }

  /** URL of the server, without a slash at its end. */
  get url(): string {
    // Reason for the assertion: a listening TCP server has an address and a port.
    return `${this.behaviour.scheme ?? 'http'}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Number of connections that its clients have not ended. */
  get open(): number {
    return this.sockets.size;
  }

  async close(): Promise<void> {
    const closed = once(this.server.close(), 'close');
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private take(socket: Socket): void {
    this.taken += 1;
    this.sockets.add(socket);
    let piece = 0;
    socket.on('error', () => undefined); // a client that gives up may reset the connection
    socket.on('data', () => this.behaviour.answer?.(socket, (piece += 1), `${this.url}/`));
    // The client has ended its side: it has left.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => this.sockets.delete(socket));
    this.behaviour.greet?.(socket);
  }
}
