import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '@app/runtime';
import { boundedByNode, type ConnectionBounds } from './connections';

/** Its clients are a scraper or two, and whoever looks after the process. */
const bounds: ConnectionBounds = { quietMs: 30_000, transferMs: 30_000, connectionsMax: 64 };

export interface ManagementServer {
  /** The port that it listens on; chosen by the system when 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `GET /metrics` (Prometheus) on a port of its own, which partners do not reach. */
export async function startManagementServer(
  metrics: Metrics,
  listen: { readonly host: string; readonly port: number },
): Promise<ManagementServer> {
  const server = createServer(boundedByNode(bounds), (request, response) => {
    // A scraper that does not read its answer.
    request.socket.setTimeout(bounds.quietMs);
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = bounds.connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, resolve);
  });
  // Reason for the assertion: a listening TCP server has an address and a port.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}
