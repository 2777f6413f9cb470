import { parseUuid } from '@app/kernel';
import type { Metrics } from '@app/runtime';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Histogram } from 'prom-client';
import { pathParameters } from './path-ids';
import { contextOf, type RequestContext } from './request-context';
import { subjectsOf, type RequestSubjects } from './request-subjects';

/**
 * Records every request that ended: in a histogram of durations, and as one log line without credentials and query; in JSON also without
 * the path.
 */
export class RequestLog {
  private readonly durations: Histogram<'operation' | 'status'>;
  private readonly log: Logger | null;

  /** @param readable whether lines are for people: then each is one sentence, with the path */
  constructor(
    metrics: Metrics,
    log: Logger | null,
    private readonly readable = false,
  ) {
    // It has only the fields below, so nothing needs redacting.
    this.log = log?.child({}, { formatters: { log: (fields) => fields } }) ?? null;
    this.durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer, by operation and status',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [metrics.registry],
    });
  }

  /** @param status of the answer; 499 if the client disconnected before */
  record(request: FastifyRequest, status: number): void {
    const context = contextOf(request);
    const operation = context.plan?.operation ?? 'none';
    const elapsedMs = performance.now() - context.startedAtMs;
    this.durations.observe({ operation, status }, elapsedMs / 1000);
    if (this.log === null || !this.log.isLevelEnabled('info')) return;
    const line = {
      operation,
      requestId: request.id,
      method: request.method,
      route: context.plan?.pattern,
      status,
      ms: Math.round(elapsedMs * 10) / 10,
      userId: context.caller?.userId ?? context.openedUserId ?? concerned(request, context),
      ...subjectsOf(request),
      keyId: context.partnerKeyId ?? undefined,
      operator: context.operator?.subject,
      reason: context.failedBy ?? undefined,
    };
    if (this.readable) this.log.info(sentenceOf(line, request.url));
    else this.log.info(line);
  }
}

/** The user in the path of an operator's request. */
function concerned(request: FastifyRequest, { operator }: RequestContext): string | undefined {
  return operator === null ? undefined : (parseUuid(pathParameters(request)['userId']) ?? undefined);
}

interface RequestLine extends RequestSubjects {
  readonly operation: string;
  readonly requestId: string;
  readonly method: string;
  /** Undefined if no route matched: the path may then contain anything. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly userId: string | undefined;
  readonly reason: string | undefined;
}

/** Formats a line for people, the most informative part first. */
function sentenceOf(
  { operation, requestId, method, route, status, ms, userId, runId, reason }: RequestLine,
  url: string,
): string {
  // A path may contain any bytes, and a terminal would interpret some of them.
  const path = route === undefined ? '(no route)' : url.replace(/\?.*$/s, '').replace(/[^\x21-\x7e]/g, '?');
  const told = [`${method} ${path} ${status} ${ms} ms`, operation, reason, `request ${requestId}`];
  return [...told, runId && `run ${runId}`, userId && `user ${userId}`].filter(Boolean).join('  ');
}
