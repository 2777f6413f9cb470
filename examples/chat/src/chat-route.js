import { Readable } from 'node:stream';
import { handleChat } from '@parley/client/ai-sdk';

const path = '/api/chat';

/**
 * Serves the requests of `ParleyChatTransport` for the user of the session. A stream ends with the session.
 * @param {import('fastify').FastifyInstance} app
 * @param {import('partner-backend-example/src/sessions.js').Sessions} sessions
 */
export function chatRoute(app, sessions) {
  app.route({
    method: ['GET', 'POST'],
    url: `${path}/*`,
    handler: async (request, reply) => {
      const { parley, over } = sessions.of(request);
      // The page shows events after a run's end by `watch`, so its streams end with the run.
      const response = await handleChat(requestOf(request), { parley, path, signal: over, until: 'ended' });
      if (response === null) return reply.callNotFound();
      reply.code(response.status).headers(Object.fromEntries(response.headers));
      if (response.body === null) return reply.send();
      // Reason for the cast: Node's own type of the same stream. When the browser disconnects, Fastify destroys it, which ends
      // Parley's stream.
      const body = /** @type {import('node:stream/web').ReadableStream} */ (response.body);
      return reply.send(Readable.fromWeb(body));
    },
  });
}

/**
 * Returns the request that Fastify has read as a standard `Request`.
 * @param {import('fastify').FastifyRequest} request
 */
function requestOf({ method, url, headers, body }) {
  const lastEventId = headers['last-event-id'];
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  });
}
