import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { ParleyClient } from '@parley/client';
import { answerAgUi } from '@parley/client/ag-ui';

/** A partner's server that speaks AG-UI for one user, in a dozen lines of Node's own HTTP. */
export interface AgUiPartner {
  readonly origin: string;
  /** The number of requests received. */
  readonly requests: number;
  stop(): Promise<void>;
}

export async function startAgUiPartner(parley: ParleyClient, settleWaitMs = 30_000): Promise<AgUiPartner> {
  let requests = 0;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    requests += 1;
    const input: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    const answer = answerAgUi({ parley, input, settleWaitMs });
    // A separate connection for each request, so that a proxy in between can cut each.
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), connection: 'close' });
    // Reason for the assertion: the same stream type under two names, the web's and Node's.
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
  }
  // A disconnected client ends its answer; there is no receiver for the error.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // Reason for the assertion: a listening TCP server has an address and a port.
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
