import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The limit on the bytes that a proxy keeps for one direction; a test that exceeds it fails. */
const recordedBytesMax = 64 * 1024 * 1024;

/** Forwards bytes unchanged, and keeps all of them. */
export interface RecordingProxy {
  readonly port: number;
  /** All bytes that clients have sent. */
  sent(): string;
  /** All bytes of the answers to clients. */
  answered(): string;
  /** The number of open connections that carried this request. */
  openWith(request: string): number;
  /** Breaks every open connection that carried one of these requests; returns their number. */
  cut(...requests: readonly string[]): number;
  close(): Promise<void>;
}

/** Listens on a port of loopback and connects each client to another one there. @param port 0 for any free port */
export async function startRecordingProxy(targetPort: number, port = 0): Promise<RecordingProxy> {
  const sent = new Recording();
  const answered = new Recording();
  const sockets = new Set<Socket>();
  const open = new Map<Socket, Recording>();
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const own = new Recording();
    open.set(client, own);
    client.on('data', (chunk) => {
      sent.keep(chunk);
      own.keep(chunk);
    });
    target.on('data', (chunk) => answered.keep(chunk));
    client.pipe(target);
    target.pipe(client);
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      // An error on one side closes the other side, which is where it is noticed.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        open.delete(client);
        other.destroy();
      });
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    // Reason for the assertion: a listening TCP server has an address and a port.
    port: (server.address() as AddressInfo).port,
    sent: () => sent.text(),
    answered: () => answered.text(),
    cut(...requests) {
      const hit = [...open].filter(([, own]) => requests.some((request) => own.text().includes(request)));
      for (const [client] of hit) client.destroy();
      return hit.length;
    },
    openWith: (request) => [...open.values()].filter((one) => one.text().includes(request)).length,
    async close() {
      const closed = once(server.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

class Recording {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  keep(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > recordedBytesMax) throw new Error(`more than ${recordedBytesMax} bytes to record`);
    this.chunks.push(chunk);
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}
