import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '@app/runtime';
import { nodeBounds, type ConnectionBounds } from './connections';
import type { Draining } from './draining';
import type { ReadinessChecks } from './readiness';

/** Its clients are a scraper or two, a health check, and an operator. */
const bounds: ConnectionBounds = { quietMs: 30_000, transferMs: 30_000, connectionsMax: 64 };

export interface ManagementServer {
  /** The port that it listens on; chosen by the system if 0 was requested. */
  readonly port: number;
  close(): Promise<void>;
}

export interface ManagedProcess {
  readonly metrics: Metrics;
  readonly checks: ReadinessChecks;
  readonly draining: Draining;
}

/** Serves `GET /metrics` (Prometheus), `/healthz` and `/readyz` on a separate port, which partners cannot reach. */
export async function startManagementServer(
  managed: ManagedProcess,
  listen: { readonly host: string; readonly port: number },
): Promise<ManagementServer> {
  const server = createServer(nodeBounds(bounds), (request, response) => {
    // For a scraper that does not read its answer.
    request.socket.setTimeout(bounds.quietMs);
    answerOf(managed, request).then(
      ({ code, type, text }) => response.writeHead(code, { 'content-type': type }).end(text),
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

interface ManagementAnswer {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

async function answerOf(
  { metrics, checks, draining }: ManagedProcess,
  { method, url }: IncomingMessage,
): Promise<ManagementAnswer> {
  switch (`${method} ${url}`) {
    case 'GET /metrics':
      return { code: 200, type: metrics.registry.contentType, text: await metrics.registry.metrics() };
    case 'GET /healthz':
      return inJson(200, { status: 'ok' });
    case 'GET /readyz': {
      const { code, body } = await checks.report(draining.begun);
      return inJson(code, body);
    }
    default:
      return { code: 404, type: 'text/plain', text: '' };
  }
}

function inJson(code: number, body: object): ManagementAnswer {
  return { code, type: 'application/json; charset=utf-8', text: JSON.stringify(body) };
}
