import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reasons, type Reason } from '@app/kernel';
import { ParleyClient, type ParleyClientOptions } from '@parley/client';

/** A received request. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** One answer, of the service or of a proxy in front of it. */
export type Scripted = (response: ServerResponse, request: Seen) => void;

/**
 * Takes the place of the service, and gives answers that a service cannot be made to give: a proxy's pages, half
 * answers, silence.
 * Source: the service's own published document (problems); nginx while its upstream restarts (502, in HTML); RFC 9112,
 * section 8 (half answers).
 */
export class ScriptedService {
  readonly seen: Seen[] = [];
  private script: Scripted[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<ScriptedService> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedService(server);
  }

  get baseUrl(): string {
    // Reason for the assertion: a listening TCP server has an address and a port.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forgets the received requests, and gives these answers from now on, repeating the last one. */
  play(...script: Scripted[]): void {
    this.seen.length = 0;
    this.script = script;
  }

  client(options: Partial<ParleyClientOptions> = {}): ParleyClient {
    const retry = { firstDelayMs: 1, delayMaxMs: 5, ...options.retry };
    return new ParleyClient({ baseUrl: this.baseUrl, partnerKey: 'key', userToken: 'token', ...options, retry });
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    // Reason for the assertion: a request without an encoding yields buffers.
    for await (const part of request) parts.push(part as Buffer);
    const { method = '', url = '', headers } = request;
    const seen = { method, url, headers, body: Buffer.concat(parts).toString('utf8') };
    const play = this.script[Math.min(this.seen.length, this.script.length - 1)];
    this.seen.push(seen);
    if (play === undefined) throw new Error('nothing is scripted');
    play(response, seen);
  }
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Scripted =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** A problem in the service's form. */
export const problem =
  (reason: Reason, headers: Record<string, string> = {}): Scripted =>
  (response) => {
    const { kind, title, status, retryable } = reasons[reason];
    const body = { type: `urn:parley:error:${kind}`, title, status, reason, requestId: 'request-1', retryable };
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(JSON.stringify(body));
  };

export const page =
  (status: number, headers: Record<string, string> = {}): Scripted =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Bad Gateway</h1>');

/** Sends half of an answer, and then breaks the connection. */
export const half: Scripted = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"userId":', () => response.destroy());
};

/** Reads the request and never answers. */
export const silence: Scripted = () => undefined;

/** An event stream with these texts, which then ends or stays open. */
export const events =
  (texts: readonly string[], end: 'ends' | 'stays open' = 'ends'): Scripted =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of texts) response.write(text);
    if (end === 'ends') response.end();
  };

/** The SSE frame of a durable event with this `seq`. */
export function durable(seq: number, type = 'run.started'): string {
  const data = JSON.stringify({ delivery: 'durable', seq, requestId: 'request-1', payload: { type, at: 'then' } });
  return `id: ${seq}\nevent: ${type}\ndata: ${data}\n\n`;
}

/** The SSE frame of an event of the feed, whose id is also its cursor. */
export function told(id: string, type = 'run.ended'): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, timestamp: 'then', data: { userId: 'u' } })}\n\n`;
}

export function live(text: string): string {
  const payload = { type: 'agent.text_delta', at: 'then', runId: 'r', messageId: 'm', text };
  return `event: agent.text_delta\ndata: ${JSON.stringify({ delivery: 'live', payload })}\n\n`;
}
