import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { beginListening, nodeBounds, type ConnectionBounds, type ListeningServer } from './connections';
import type { Readiness } from './ports';
import { notServed, toProblem } from './problems/problems';
import { answerHeaders, requestIdOf } from './request/request-ids';

/** Every answer is quick. */
const bounds: ConnectionBounds = { quietMs: 10_000, transferMs: 10_000, connectionsMax: 1_024 };

/** The state of a dependency, as a process that has not started yet reports it. */
export interface Waiting {
  readonly state: Readiness;
  /** Why, in a sentence for the operator. */
  readonly reason?: string;
}

/**
 * Answers in place of a process that cannot serve yet: `/healthz` is ok, `/readyz` is 503 and reports what the process waits for, and
 * everything else is a retryable 503.
 * @param says the dependencies' present state
 * @param listen.tellsReasons whether `/readyz` also reports reasons, which are not for partners
 */
export async function startWaitingServer(
  says: () => Readonly<Record<string, Waiting>>,
  listen: { readonly host: string; readonly port: number; readonly tellsReasons: boolean },
): Promise<ListeningServer> {
  const answer: RequestListener = (request, response) => {
    const requestId = requestIdOf(request);
    const { code, type, body } = answerOf(request, requestId, listen.tellsReasons ? says() : withoutReasons(says()));
    const headers = { ...answerHeaders(requestId), 'content-type': type, connection: 'close' };
    response.writeHead(code, headers).end(JSON.stringify(body));
  };
  const server = createServer(nodeBounds(bounds), answer);
  return beginListening(server, listen, bounds);
}

function answerOf(request: IncomingMessage, requestId: string, waiting: Readonly<Record<string, Waiting>>) {
  const json = 'application/json; charset=utf-8';
  const [path] = (request.url ?? '').split('?');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && path === '/healthz') return { code: 200, type: json, body: { status: 'ok' } };
  if (isRead && path === '/readyz') return { code: 503, type: json, body: readinessOf(waiting) };
  return { code: 503, type: 'application/problem+json', body: toProblem(notServed, requestId) };
}

function readinessOf(waiting: Readonly<Record<string, Waiting>>): object {
  const entries = Object.entries(waiting);
  const reasons = entries.flatMap(([name, { reason }]) => (reason === undefined ? [] : [[name, reason] as const]));
  return {
    status: 'away',
    checks: Object.fromEntries(entries.map(([name, { state }]) => [name, state])),
    ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
  };
}

function withoutReasons(waiting: Readonly<Record<string, Waiting>>): Record<string, Waiting> {
  return Object.fromEntries(Object.entries(waiting).map(([name, { state }]) => [name, { state }]));
}
