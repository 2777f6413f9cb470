import { STATUS_CODES, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { invalid, notFound } from '@app/kernel';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { nodeBounds, type ConnectionBounds } from './connections';
import { toProblem } from './problems/problems';
import { answerHeaders, requestIdOf } from './request/request-ids';
import { sendProblem } from './problems/send-problem';

/** Node accepts heads of at most 16 KiB, so no parameter is refused for its length. */
const parameterLengthMax = 16_384;

/**
 * Options of Fastify for this service.
 * @param trustedProxies addresses, networks and names of networks whose `X-Forwarded-For` is trusted; none when absent
 */
export function fastifyOptions(
  bodyLimitBytes: number,
  bounds: ConnectionBounds,
  trustedProxies: string | undefined,
): FastifyHttpOptions<Server> & { readonly skipMiddie: boolean } {
  const nodes = nodeBounds(bounds);
  return {
    bodyLimit: bodyLimitBytes,
    exposeHeadRoutes: true,
    trustProxy: trustedProxies ?? false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    // Fastify sets these two itself, and Node validates the given values first.
    keepAliveTimeout: nodes.keepAliveTimeout,
    requestTimeout: nodes.requestTimeout,
    return503OnClosing: false,
    // Node would answer a request without Host by itself; the first hook does, with a problem.
    http: { requireHostHeader: false, ...nodes },
    routerOptions: { maxParamLength: parameterLengthMax },
    // Nest middleware is not used, so its adapter need not search for any.
    skipMiddie: true,
    // A URL that cannot be decoded fails before any hook runs.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(answerHeaders(request.id));
      sendProblem(request, reply, notFound);
    },
    clientErrorHandler: answerUnreadable,
  };
}

/** Node answers an unknown `Expect` by itself, with a bare 417; here it is treated as an ordinary request. */
export function answerBrokenRequests(fastify: FastifyInstance): void {
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
}

const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'has a head over 16 KiB',
  ERR_HTTP_REQUEST_TIMEOUT: 'took too long to arrive',
};

/** Answers a request that is not HTTP, is too slow, or has too large a head with a problem, and closes its connection. */
function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  const saidNothing = socket instanceof Socket && socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || !socket.writable || saidNothing) {
    socket.destroy();
    return;
  }
  const requestId = v7();
  const problem = toProblem(
    invalid('', unreadable[error.code ?? ''] ?? 'is not a well-formed HTTP request'),
    requestId,
  );
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(answerHeaders(requestId)).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
