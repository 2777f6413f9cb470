import { isProblem, isUnreachable } from '@parley/client';
import { NotSignedIn } from './sessions.js';

/**
 * @typedef {object} PageProblem the description of a failure that the page receives
 * @property {string} reason Parley's own reasons, and a few of this backend
 * @property {string} title for logs; the page has its own messages
 * @property {boolean} retryable
 * @property {string} [requestId] id to quote to Parley's operators
 * @property {number} [retryAfterSeconds]
 */

/** Reasons that concern this backend's own key: the user cannot do anything about them, and need not know. */
const ours = new Set(['partner_key_required', 'partner_key_invalid']);

/**
 * Answers an error of a route with a status and a PageProblem.
 * @param {unknown} error
 * @param {import('fastify').FastifyRequest} request
 * @param {import('fastify').FastifyReply} reply
 */
export function answerProblem(error, request, reply) {
  const { status, ...problem } = problemOf(error);
  if (status >= 500) request.log.error({ err: error }, 'a request failed');
  return reply.code(status).send(problem);
}

/**
 * @param {unknown} error
 * @returns {PageProblem & { status: number }}
 */
function problemOf(error) {
  if (error instanceof NotSignedIn) {
    return { status: 401, reason: 'not_signed_in', title: 'Nobody is signed in', retryable: false };
  }
  if (isProblem(error)) return ofParley(error);
  if (isUnreachable(error)) {
    return { status: 503, reason: 'unreachable', title: 'Parley did not answer', retryable: true };
  }
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  return status < 500
    ? { status, reason: 'invalid_input', title: 'The request cannot be read', retryable: false }
    : { status: 500, reason: 'internal', title: 'A fault of this backend', retryable: false };
}

/** @param {import('@parley/client').ParleyProblem} problem */
function ofParley({ status, reason, title, retryable, requestId, retryAfterSeconds }) {
  const told = { title, retryable, requestId, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  if (reason !== undefined && ours.has(reason)) return { ...told, status: 500, reason: 'internal' };
  // The renewed token was refused too: for the page the session is over.
  if (status === 401) return { ...told, status, reason: 'not_signed_in' };
  return { ...told, status, reason: reason ?? (status === 404 ? 'not_found' : 'internal') };
}
