import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ParleyClient } from '@parley/client';
import { handleChat, type TellingEnd } from '@parley/client/ai-sdk';

/** A partner's server for one signed-in user, which only runs `handleChat`. */
export class PartnerServer {
  private constructor(
    readonly origin: string,
    private readonly closeServer: () => Promise<void>,
  ) {}

  static async start(parley: ParleyClient, end: TellingEnd = {}): Promise<PartnerServer> {
    const server = createServer((incoming, outgoing) => void answer(parley, end, incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Reason for the assertion: a listening TCP server has an address and a port.
    const { port } = server.address() as AddressInfo;
    return new PartnerServer(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
  }

  get api(): string {
    return `${this.origin}/api/chat`;
  }

  async stop(): Promise<void> {
    await this.closeServer();
  }
}

async function answer(
  parley: ParleyClient,
  end: TellingEnd,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = 'GET', headers, url = '/' } = incoming;
    const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) };
    const request = new Request(new URL(url, 'http://partner.example'), {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...body,
    });
    const response =
      (await handleChat(request, { parley, path: '/api/chat', ...end })) ?? new Response(null, { status: 404 });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body === null) return void outgoing.end();
    await pipeline(Readable.fromWeb(response.body as never), outgoing);
  } catch {
    // The browser has gone, or was cut off, and needs no answer.
    outgoing.destroy();
  }
}
