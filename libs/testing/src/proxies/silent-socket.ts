import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';

/**
 * Accepts every connection and sends nothing on it, like a hung process whose kernel still completes handshakes, a load
 * balancer without a healthy target, or a host behind a firewall that drops later packets. Before it falls silent it
 * can forward to a real counterpart.
 *
 * Source: RFC 9293, section 3.8.3 (TCP notices a lost peer only at a time-out); an S3 server that accepted and never
 * answered.
 */
export class SilentSocket {
  private readonly sockets = new Set<Socket>();
  private readonly heard = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));
  private silent: boolean;

  private constructor(
    private readonly target: NetConnectOpts | null,
    private readonly beginning: string,
  ) {
    this.silent = target === null;
  }

  /** Silent from the start. @param beginning text that is sent first on every connection */
  static async start(beginning = ''): Promise<SilentSocket> {
    return new SilentSocket(null, beginning).listening();
  }

  /** Forwards to a counterpart until `fallSilent`. */
  static async before(target: NetConnectOpts): Promise<SilentSocket> {
    return new SilentSocket(target, '').listening();
  }

  get port(): number {
    // Reason for the assertion: a listening TCP server has an address and a port.
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Number of clients that have sent something since it fell silent, and still have their connection. */
  get waiting(): number {
    return this.heard.size;
  }

  /** From now on forwards nothing, in neither direction, and closes nothing. */
  fallSilent(): void {
    this.silent = true;
  }

  /** From now on forwards to its counterpart again; connections that hang are broken. */
  speak(): void {
    this.silent = false;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.server.close(), 'close');
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async listening(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  private join(client: Socket): void {
    const counterpart = this.target === null || this.silent ? null : createConnection(this.target);
    this.keep(client, counterpart);
    if (this.beginning !== '') client.write(this.beginning);
    client.on('data', (bytes) => {
      if (this.silent) this.heard.add(client);
      else counterpart?.write(bytes);
    });
    if (counterpart === null) return;
    this.keep(counterpart, client);
    counterpart.on('data', (bytes) => void (this.silent || client.write(bytes)));
  }

  private keep(socket: Socket, other: Socket | null): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined); // a client that gives up may reset the connection
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.heard.delete(socket);
      if (!this.silent || other?.destroyed === false) other?.destroy();
    });
  }
}
