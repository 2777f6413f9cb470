import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '@app/runtime';

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
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
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
