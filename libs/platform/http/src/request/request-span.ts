import { parseUuid } from '@app/kernel';
import type { Span, SpanAttributes, Tracing } from '@app/runtime';
import type { FastifyRequest } from 'fastify';
import { contextOf, type RoutePlan } from './request-context';

const serverFaults = 500;

/**
 * Begins the span of a request, under the one that its `traceparent` names (W3C Trace Context). Null if nothing is traced, and for health
 * checks and unknown paths.
 */
export function beginRequestSpan(tracing: Tracing, request: FastifyRequest, plan: RoutePlan | null): Span | null {
  if (!tracing.on || plan === null || plan.area === 'open') return null;
  const { traceparent } = request.headers;
  const attributes = {
    'parley.operation': plan.operation,
    'parley.request.id': request.id,
    'http.request.method': request.method,
    'http.route': plan.pattern,
  };
  const cause = typeof traceparent === 'string' ? traceparent : undefined;
  return tracing.begin(plan.operation, { kind: 'server', cause, attributes });
}

/** Ends the request's span, as failed if the service was at fault. */
export function endRequestSpan(request: FastifyRequest, status: number): void {
  const { span, plan, failedBy } = contextOf(request);
  if (span === null || plan === null) return;
  span.set({ 'http.response.status_code': status, ...idsOf(request, plan) });
  if (failedBy !== null) span.set({ 'parley.reason': failedBy });
  span.end(status >= serverFaults ? String(status) : undefined);
}

/** `parley.run.id` and the like, taken from the path; a value that is not a UUID is the client's own text and is left out. */
function idsOf(request: FastifyRequest, plan: RoutePlan): SpanAttributes {
  // Reason for the assertion: Fastify's router creates an object of texts.
  const parameters = request.params as Record<string, string>;
  const ids: Record<string, string> = {};
  for (const name of plan.idParameters) {
    const id = parseUuid(parameters[name]);
    if (id !== null) ids[`parley.${name.slice(0, -'Id'.length)}.id`] = id;
  }
  return ids;
}
