/**
 * A partner's endpoint for webhooks: it verifies each request with the library that Standard Webhooks publishes, and
 * then behaves as its script says.
 * Source: the specification of Standard Webhooks ("Webhook headers", "Verifying signatures", "Response codes"),
 * standardwebhooks 1.1.1.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** The endpoint's reaction to a request that it has read and verified. */
export type Manner =
  /** Accepts the message. */
  | 'take'
  /** Accepts it after a while. */
  | 'slow'
  /** Accepts it, and breaks the connection within the head of its answer. */
  | 'cut'
  /** Answers 500. */
  | 'fail'
  /** Ends the connection without an answer. */
  | 'close'
  /** Sends no answer, and keeps the connection open. */
  | 'hang'
  /** Answers 101, and keeps the connection open. */
  | 'upgrade'
  /** Redirects to an address where the message would be accepted. */
  | 'redirect'
  | 'gone';

/** A message that the endpoint has accepted, whether or not its answer arrived. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** A request that was received and verified. */
export interface Heard {
  readonly id: string;
  readonly manner: Manner;
  readonly atMs: number;
}

const slowMs = 60;

export class PartnerEndpoint {
  /** The messages that it accepted, in order. */
  readonly taken: Received[] = [];
  readonly heard: Heard[] = [];
  /** Why it refused requests that it could not verify. */
  readonly unverified: string[] = [];
  secret = '';
  /** Decides the reaction to the next message; by default it accepts every one. */
  manner: (message: Received) => Manner = () => 'take';
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;
  private port = 0;

  /** Its address on this machine, also while it does not listen. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  /** Starts to listen, at the same port if it did before. */
  async listen(): Promise<this> {
    const server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => undefined); // the sender has disconnected
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  /** Refuses connections from now on. */
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
      // Reason for the assertion: the library accepts any headers, and throws if one is missing.
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
