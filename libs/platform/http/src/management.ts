import { createServer, type IncomingMessage } from 'node:http';
import type { Metrics } from '@app/runtime';
import { beginListening, nodeBounds, type ConnectionBounds, type ListeningServer } from './connections';
import type { Draining } from './draining';
import type { ReadinessChecks } from './readiness';

/** Its clients are a scraper or two, a health check, and an operator. */
const bounds: ConnectionBounds = { quietMs: 30_000, transferMs: 30_000, connectionsMax: 64 };

export interface ManagedProcess {
  readonly metrics: Metrics;
  readonly checks: ReadinessChecks;
  readonly draining: Draining;
}

/** Serves `GET /metrics` (Prometheus), `/healthz` and `/readyz` on a separate port, which partners cannot reach. */
export async function startManagementServer(
  managed: ManagedProcess,
  listen: { readonly host: string; readonly port: number },
): Promise<ListeningServer> {
  const server = createServer(nodeBounds(bounds), (request, response) => {
    // For a scraper that does not read its answer.
    request.socket.setTimeout(bounds.quietMs);
    answerOf(managed, request).then(
      ({ code, type, text }) => response.writeHead(code, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return beginListening(server, listen, bounds);
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
