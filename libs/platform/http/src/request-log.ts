import { parseUuid } from '@app/kernel';
import type { Metrics } from '@app/runtime';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Histogram } from 'prom-client';
import { pathParameters } from './path-ids';
import { contextOf, type RequestContext } from './request-context';
import { subjectsOf, type RequestSubjects } from './request-subjects';

/** Writes down every request that ended: a histogram of durations, and one log line that holds no credential and no query; in JSON no path either. */
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

  /** @param status what was answered; 499 when the client went away before */
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
      userId: context.caller?.userId ?? concerned(request, context),
      ...subjectsOf(request),
      keyId: context.partnerKeyId ?? undefined,
      operator: context.operator?.subject,
      reason: context.failedBy ?? undefined,
    };
    if (this.readable) this.log.info(sentenceOf(line, request.url));
    else this.log.info(line);
  }
}

/** The user whom an operator's request concerns. */
function concerned(request: FastifyRequest, { operator }: RequestContext): string | undefined {
  return operator === null ? undefined : (parseUuid(pathParameters(request)['userId']) ?? undefined);
}

interface RequestLine extends RequestSubjects {
  readonly operation: string;
  readonly requestId: string;
  readonly method: string;
  /** Undefined where no route matched: the path may then hold anything. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly userId: string | undefined;
  readonly reason: string | undefined;
}

/** What a person wants to see of a request, the most telling first. */
function sentenceOf(
  { operation, requestId, method, route, status, ms, userId, runId, reason }: RequestLine,
  url: string,
): string {
  // A path may have any bytes, and a terminal would obey some of them.
  const path = route === undefined ? '(no route)' : url.replace(/\?.*$/s, '').replace(/[^\x21-\x7e]/g, '?');
  const told = [`${method} ${path} ${status} ${ms} ms`, operation, reason, `request ${requestId}`];
  return [...told, runId && `run ${runId}`, userId && `user ${userId}`].filter(Boolean).join('  ');
}
