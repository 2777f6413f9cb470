import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { durable, live, problem, type Scripted } from '../client/scripted-service';

const user = { userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11', subject: 's', expiresAt: 'then' };

/**
 * A minimal service with one user, enough for the client's program, and one more for each way to fail. All have one origin, because a page
 * reads no other: `/works`, `/cut`, `/reset` and `/silent` are base URLs.
 */
export class SmallService {
  /** The number of non-repeatable requests that each failing service has received. */
  readonly asked = new Map<string, number>();
  private readonly servers: TcpServer[] = [];
  private streams = 0;
  /** A port whose server has been closed. */
  private refusingPort = 0;

  private constructor(private readonly bundle: string) {}

  /** @param tls an untrusted certificate @param bundle the program, for the page at `/` */
  static async start(tls: { readonly key: Buffer; readonly cert: Buffer }, bundle: string): Promise<SmallService> {
    const service = new SmallService(bundle);
    const listener: RequestListener = (request, response) => void service.answer(request, response);
    await service.listen(createServer(listener));
    await service.listen(createTlsServer(tls, (_, response) => response.end()));
    await service.findRefusingPort();
    return service;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port(0)}`;
  }

  /** Resets the counts for the next runtime, and returns its URLs. */
  givenTo(): { works: string; fails: Record<string, string> } {
    this.asked.clear();
    this.streams = 0;
    const fails = {
      cut: `${this.origin}/cut`,
      reset: `${this.origin}/reset`,
      silent: `${this.origin}/silent`,
      refused: `http://127.0.0.1:${this.refusingPort}`,
      unknownHost: 'http://nowhere.invalid',
      distrusted: `https://127.0.0.1:${this.port(1)}`,
    };
    return { works: `${this.origin}/works`, fails };
  }

  private async findRefusingPort(): Promise<void> {
    const server = createTcpServer();
    this.refusingPort = await this.listen(server);
    this.servers.pop();
    await stopped(server);
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map(stopped));
  }

  private port(index: number): number {
    // Reason for the assertion: a listening TCP server has an address and a port.
    return (this.servers[index]?.address() as AddressInfo).port;
  }

  private async listen(server: TcpServer): Promise<number> {
    this.servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return this.port(this.servers.length - 1);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const body = await text(request).catch(() => '');
    const [, place = '', path = ''] = /^\/(\w*)(.*)$/.exec(url.split('?')[0] ?? '') ?? [];
    if (place === 'works') return this.work(`${method} ${path}`, { url, body }, response);
    if (place === '') return this.page(response);
    this.asked.set(place, (this.asked.get(place) ?? 0) + 1);
    if (place === 'cut') {
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":', () => setTimeout(() => response.destroy(), 20));
    }
    if (place === 'reset') request.socket.resetAndDestroy();
  }

  /** Answers on a connection that is not reused, because Chromium itself repeats a request on a reused one. */
  private page(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
    response.end(
      `<!doctype html><title>A page</title><link rel="icon" href="data:," /><script>${this.bundle}</script>`,
    );
  }

  private work(asked: string, { url, body }: { url: string; body: string }, response: ServerResponse): void {
    const call = asked.replace(user.userId, '{userId}').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '{id}');
    const answer = (value: unknown, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (call === 'POST /v1/users') return answer(user);
    if (call === 'POST /v1/users/{userId}/agent-runs') return answer({ echoed: JSON.parse(body) }, 202);
    if (call === 'GET /v1/users/{userId}/agent-runs') {
      const isFirst = !url.includes('cursor=');
      return answer({ data: [{ id: isFirst ? 'one' : 'two' }], nextCursor: isFirst ? 'next' : null, total: 2 });
    }
    if (call === 'POST /v1/users/{userId}/conversations/{id}/artifacts') return answer({ id: body }, 201);
    if (call.startsWith('GET /v1/users/{userId}/conversations/{id}/artifacts/')) {
      return void response.writeHead(200, { 'content-type': 'text/csv' }).end('a,b');
    }
    if (call === 'GET /v1/users/{userId}/conversations/{id}/stream') return this.stream(response);
    refuse(response, { method: '', url, headers: {}, body });
  }

  /** The first stream breaks off in the middle of a frame; later ones continue. */
  private stream(response: ServerResponse): void {
    this.streams += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1\n\n');
    if (this.streams > 1) return void response.write(durable(3));
    response.write(durable(1) + live('é') + durable(2) + durable(3).slice(0, 30));
    setTimeout(() => response.destroy(), 50);
  }
}

const refuse: Scripted = problem('run_not_active');

async function stopped(server: TcpServer): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // Reason for the assertion: all but the one that only reserves a port are HTTP servers.
  if ('closeAllConnections' in server) (server as Server).closeAllConnections();
  await closed;
}
