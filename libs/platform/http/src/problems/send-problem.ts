import type { FastifyReply, FastifyRequest } from 'fastify';
import { toProblem, type Failure } from './problems';

/** Ends a request with the problem of its failure. @param detail a sentence of ours that the problem adds to its title */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
  headers: Readonly<Record<string, string>> = {},
  detail?: string,
): void {
  const problem = { ...toProblem(failure, request.id), ...(detail !== undefined && { detail }) };
  if (request.parley) request.parley.failedBy = problem.reason ?? problem.type.slice(problem.type.lastIndexOf(':') + 1);
  if (problem.status === 401) reply.header('www-authenticate', challengeOf(failure));
  // Fastify wants to close the connection after a body that it did not read to the end; the socket would be reset before the client has
  // read the answer. The first hook ends it a little later instead.
  reply.removeHeader('connection');
  // Bytes, because Fastify adds a charset to the type of a text, which the media type does not define.
  reply
    .code(problem.status)
    .headers(headers)
    .type('application/problem+json')
    .send(Buffer.from(JSON.stringify(problem)));
}

/** A 401 names the expected scheme (RFC 9110, section 11.6.1), and reports a sent token as invalid (RFC 6750, section 3.1). */
function challengeOf(failure: Failure): string {
  const isOfToken =
    failure.kind === 'reason' ? failure.reason === 'credential_expired' : 'isOfToken' in failure && failure.isOfToken;
  return isOfToken ? 'Bearer error="invalid_token"' : 'Bearer';
}
