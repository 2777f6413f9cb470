import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that passed, and the status of the service's answer. */
interface Passed {
  readonly atMs: number;
  readonly lastEventId: string | undefined;
  readonly body: string;
  readonly status: number;
}

/** The fate of an answer: forwarded, lost before its first byte, or cut after the first bytes that match. */
type Fate = 'pass' | 'lose' | { readonly cutBehind: RegExp };

export interface LosingProxyOptions {
  /** Settles when the request may be forwarded to the service. @param attempt counts from 1 */
  readonly admit: (attempt: number) => Promise<void>;
  /** @param nth number of the answer among those with this status, from 1 */
  readonly fateOf: (status: number, nth: number) => Fate;
}

/** An HTTP proxy in front of one service that loses some answers. */
export class LosingProxy {
  readonly passed: Passed[] = [];
  private attempts = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
    private readonly options: LosingProxyOptions,
  ) {
    server.on('request', (incoming, outgoing) => {
      // The client notices by its connection.
      this.serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(target: string, options: LosingProxyOptions): Promise<LosingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LosingProxy(server, target, options);
  }

  get baseUrl(): string {
    // Reason for the assertion: a listening TCP server has an address and a port.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.attempts += 1;
    const atMs = performance.now();
    const attempt = this.attempts;
    const body = Buffer.concat(await incoming.toArray());
    await this.options.admit(attempt);
    const { host: _, 'transfer-encoding': __, ...headers } = incoming.headers;
    const sent = { ...headers, 'content-length': String(body.length) };
    const onward = ask(`${this.target}${incoming.url}`, { method: incoming.method, headers: sent, agent: false });
    outgoing.on('close', () => onward.destroy());
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]; // reason: Node documents the payload of this event
    const status = answer.statusCode ?? 0;
    const lastEventId = incoming.headers['last-event-id']?.toString();
    this.passed.push({ atMs, lastEventId, body: body.toString(), status });
    const fate = this.options.fateOf(status, this.passed.filter((one) => one.status === status).length);
    if (fate === 'lose') {
      // The answer is lost only after the service has sent all of it.
      await answer.toArray();
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(status, answer.headers);
    let seen = '';
    answer.on('error', () => outgoing.destroy());
    // Reason for the assertion: without an encoding, chunks are bytes.
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const before = seen.length;
      seen += chunk.toString('latin1');
      const cut = fate === 'pass' ? null : fate.cutBehind.exec(seen);
      if (cut !== null) {
        outgoing.write(seen.slice(before, cut.index + cut[0].length), 'latin1', () => outgoing.destroy());
        return;
      }
      outgoing.write(chunk);
    }
    outgoing.end();
  }
}
