/**
 * A partner's endpoint for webhooks: it verifies each request with the library that Standard Webhooks publishes, and then does what its
 * script says.
 * Source: the specification of Standard Webhooks ("Webhook headers", "Verifying signatures", "Response codes"), standardwebhooks 1.1.1.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** What the endpoint does with a request that it has read and verified. */
export type Manner =
  /** It takes the message. */
  | 'take'
  /** It takes it, after a while. */
  | 'slow'
  /** It takes it, and the connection breaks within its answer's head. */
  | 'cut'
  /** 500. */
  | 'fail'
  /** The connection ends without an answer. */
  | 'close'
  /** There is no answer, and the connection stays. */
  | 'hang'
  /** 101, and the connection stays. */
  | 'upgrade'
  /** To an address where it would be taken. */
  | 'redirect'
  | 'gone';

/** A message that the endpoint has, whether or not its answer arrived. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** A request as it came. */
export interface Heard {
  readonly id: string;
  readonly manner: Manner;
  readonly atMs: number;
}

const slowMs = 60;

export class PartnerEndpoint {
  /** What it has taken, in the order in which it did. */
  readonly taken: Received[] = [];
  readonly heard: Heard[] = [];
  /** Why it refused what it could not verify. */
  readonly unverified: string[] = [];
  secret = '';
  /** What it does next; it takes everything unless it is said. */
  manner: (message: Received) => Manner = () => 'take';
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;
  private port = 0;

  /** Where it listens on this machine, also while it is away. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  /** Begins to listen, or comes back at the same port. */
  async listen(): Promise<this> {
    const server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => undefined); // who was sending has gone
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  /** Connections are refused from now on. */
  async leave(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = this.verified(request, Buffer.concat(chunks).toString('utf8'));
    if (message === null) return void response.writeHead(400).end();
    const manner = this.manner(message);
    this.heard.push({ id: message.id, manner, atMs: message.atMs });
    if (manner === 'slow') await sleep(slowMs);
    if (['take', 'slow', 'cut'].includes(manner)) this.taken.push(message);
    this.say(manner, response);
  }

  private verified({ headers, method, url }: IncomingMessage, body: string): Received | null {
    try {
      if (method !== 'POST' || url !== '/hooks') throw new Error(`${method} ${url}`);
      // Reason for the assertion: the library takes what came, and throws where a header is missing.
      const said = new Webhook(this.secret).verify(body, headers as Record<string, string>) as Received;
      return { id: String(headers['webhook-id']), type: said.type, data: said.data, atMs: Date.now() };
    } catch (error) {
      this.unverified.push(String(error));
      return null;
    }
  }

  private say(manner: Manner, response: ServerResponse): void {
    switch (manner) {
      case 'take':
      case 'slow':
        response.writeHead(204).end();
        break;
      case 'cut':
        response.socket?.end('HTTP/1.1 200 OK\r\nconte');
        break;
      case 'fail':
        response.writeHead(500).end('trouble');
        break;
      case 'close':
        response.destroy();
        break;
      case 'redirect':
        response.writeHead(307, { location: this.url }).end();
        break;
      case 'gone':
        response.writeHead(410).end();
        break;
      case 'upgrade':
        response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
        break;
      case 'hang':
        break;
    }
  }
}
