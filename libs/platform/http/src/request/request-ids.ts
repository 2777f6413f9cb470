import type { IncomingMessage } from 'node:http';
import { limits } from '@app/kernel';
import { v7 } from 'uuid';

/** The client's own `X-Request-Id` when it is well-formed, else a new one (specification, "Errors", rule 5). */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && limits.requestIdPattern.test(given) ? given : v7();
}

/** The fields of every answer, whether a route was found or not. */
export function answerHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
}
