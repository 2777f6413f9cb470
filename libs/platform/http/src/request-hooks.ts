import { Socket } from 'node:net';
import { because, invalid, notFound, Unavailable } from '@app/kernel';
import type { Tracing } from '@app/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Guards } from './access/guards';
import type { GuardedRoute } from './access/request-guard';
import type { AllowedMethods } from './allowed-methods';
import type { Draining } from './draining';
import type { Area } from './operation/operation';
import { failureOf } from './problems/problem-filter';
import type { Overload } from './overload';
import { notServed, type Failure } from './problems/problems';
import { answerHeaders } from './request/request-ids';
import type { RequestContext } from './request/request-context';
import type { RequestLog } from './request/request-log';
import { noteSubjects } from './request/request-subjects';
import { sendProblem } from './problems/send-problem';
import { beginRequestSpan, endRequestSpan } from './request/request-span';

export interface HookParts {
  readonly guards: Guards;
  readonly allowedMethods: AllowedMethods;
  readonly draining: Draining;
  readonly overload: Overload;
  readonly requestLog: RequestLog;
  readonly tracing: Tracing;
  readonly log: Logger;
  /** Whether a browser origin may call. */
  readonly isOriginAllowed: (origin: string) => boolean;
  /** Header fields of every answer under `/v1`. */
  readonly partnerHeaders: Readonly<Record<string, string>>;
}

/** Never sent: the status in logs and metrics if the client did not wait for its answer. */
const clientWentAway = 499;

/** For a `/v1` request that no route serves: without credentials, the answer does not reveal which routes exist. */
const unrouted: GuardedRoute = { account: 'not required', weight: 1, idParameters: [] };

/** After an answer that did not wait for the end of the body, the client has this long to stop sending. */
const lingerMs = 1_000;

/** Adds everything that is done with a request before its body is read, and after its answer was sent. */
export function addRequestHooks(fastify: FastifyInstance, parts: HookParts): void {
  fastify.decorateRequest('parley', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    const context = begin(request, reply, parts);
    if (refuseAtOnce(request, reply, context, parts)) return;
    const { plan } = context;
    const goOn = () => (plan === null ? refuseUnrouted(request, reply, parts) : done());
    const admission = admit(request, reply, context, parts);
    if (admission === null) return goOn();
    admission.then(
      (failure) => {
        context.rests();
        if (failure === null) goOn();
        else sendProblem(request, reply, failure);
      },
      (error: unknown) => {
        const failure = failureOf(error);
        const fields = { requestId: request.id, operation: context.plan?.operation, err: error };
        if (error instanceof Unavailable) parts.log.warn(fields, 'a dependency did not answer');
        else parts.log.error(fields, 'the admission of a request failed unexpectedly');
        sendProblem(request, reply, failure);
      },
    );
  });
  workBeginsWithTheBody(fastify, parts);
  noteSubjects(fastify);
}

/** The reason why the caller's credentials do not admit it; null if none are required. */
function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
  parts: HookParts,
): Promise<Failure | null> | null {
  const { plan } = context;
  const area = areaOf(request, context, parts);
  if (area === 'operator') return parts.guards.operators?.admit(request, reply, plan) ?? Promise.resolve(notFound);
  if (!isPartners(area)) return null;
  context.rests = parts.overload.begin(plan);
  if (area === 'feed') return parts.guards.partners.admitToFeed(request, reply);
  return parts.guards.partners.admit(request, reply, plan ?? unrouted);
}

/**
 * Time in which a client sends its body or reads its answer is not load. Work for a client that disconnected counts until its handler is
 * done, although its answer has no recipient.
 */
function workBeginsWithTheBody(fastify: FastifyInstance, parts: HookParts): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    const { parley: context } = request;
    if (context != null && isPartners(context.plan?.area)) context.rests = parts.overload.begin(context.plan);
    done();
  });
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    request.parley?.rests();
    done();
  });
}

function begin(request: FastifyRequest, reply: FastifyReply, parts: HookParts): RequestContext {
  const plan = request.is404 ? null : (request.routeOptions.config.routePlan ?? null);
  const context: RequestContext = {
    plan,
    startedAtMs: performance.now(),
    span: beginRequestSpan(parts.tracing, request, plan),
    identity: null,
    caller: null,
    operator: null,
    openedUserId: null,
    partnerKeyId: null,
    failedBy: null,
    answeredAbout: {},
    rests: () => undefined,
  };
  request.parley = context;
  const ended = parts.draining.requestBegan(() => giveUp(request, reply), plan?.area === 'open');
  // Fastify never calls `onResponse` for a hijacked reply: an event stream would be in flight forever.
  reply.raw.once('close', () => {
    ended();
    end(request, reply, parts);
  });
  reply.headers(answerHeaders(request.id));
  if (areaOf(request, context, parts) === 'partner') reply.headers(parts.partnerHeaders);
  return context;
}

function end(request: FastifyRequest, reply: FastifyReply, parts: HookParts): void {
  const status = reply.raw.headersSent ? reply.raw.statusCode : clientWentAway;
  parts.requestLog.record(request, status);
  endRequestSpan(request, status);
  if (!request.raw.complete) setTimeout(() => cutConnection(request), lingerMs).unref();
}

/** The process ends before the request could be served; a later answer of its handler is dropped. */
function giveUp(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
  else sendProblem(request, reply, notServed, { connection: 'close' });
}

/** Refuses requests for reasons that do not depend on credentials. */
function refuseAtOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
  parts: HookParts,
): boolean {
  const { origin } = request.headers;
  if (context.plan?.area === 'open') return false;
  if (parts.draining.begun) {
    sendProblem(request, reply, notServed, { connection: 'close' });
  } else if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    sendProblem(request, reply, invalid('', 'needs a Host'));
  } else if (origin !== undefined && !parts.isOriginAllowed(origin)) {
    sendProblem(request, reply, because('origin_rejected'));
  } else {
    return isPartners(areaOf(request, context, parts)) && refuseOverload(request, reply, context, parts);
  }
  return true;
}

/** 429 rather than 503, because proxies infer from a 503 that a replica is stopping, and stop using it. */
function refuseOverload(
  request: FastifyRequest,
  reply: FastifyReply,
  { plan }: RequestContext,
  { overload }: HookParts,
): boolean {
  const seconds = overload.refuses(plan);
  if (seconds === null) return false;
  sendProblem(request, reply, because('rate_limited'), { 'retry-after': String(seconds) });
  return true;
}

/** Whether partners' backends call it, whose requests an overloaded process may refuse. */
function isPartners(area: Area | null | undefined): boolean {
  return area === 'partner' || area === 'feed';
}

function areaOf(request: FastifyRequest, { plan }: RequestContext, { allowedMethods }: HookParts): Area | null {
  return plan === null ? allowedMethods.areaOf(request.url) : plan.area;
}

function refuseUnrouted(request: FastifyRequest, reply: FastifyReply, parts: HookParts): void {
  const methods = parts.allowedMethods.methodsFor(request.url);
  if (methods.length === 0) sendProblem(request, reply, notFound);
  else sendProblem(request, reply, { kind: 'bare', problem: 'method_not_allowed' }, { allow: methods.join(', ') });
}

function cutConnection(request: FastifyRequest): void {
  // A request that Fastify injects has no connection to cut.
  if (!request.raw.complete && request.raw.socket instanceof Socket) request.raw.socket.destroy();
}
