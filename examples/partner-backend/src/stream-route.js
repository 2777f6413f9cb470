import { once } from 'node:events';
import { PassThrough } from 'node:stream';

const heartbeatMs = 15_000;

/**
 * Serves a conversation's journal as server-sent events for the page's EventSource. The client resumes its stream from Parley by
 * itself; this route does the same for the browser: durable frames carry their `seq` as SSE id, and a browser that reconnects
 * with `Last-Event-ID` continues after it.
 * @param {import('fastify').FastifyInstance} app
 * @param {import('./sessions.js').Sessions} sessions
 */
export function streamRoute(app, sessions) {
  app.get('/api/conversations/:conversationId/stream', async (request, reply) => {
    const { parley, over } = sessions.of(request);
    const { conversationId } = /** @type {{ conversationId: string }} */ (request.params);
    // Fails before the first byte, while a status can still be sent.
    await parley.conversations.get({ conversationId });

    const gone = new AbortController();
    reply.raw.on('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, over]);
    const frames = parley.conversations.stream({ conversationId, after: resumeAfter(request) }, { signal });
    reply.header('content-type', 'text/event-stream');
    reply.header('x-accel-buffering', 'no'); // otherwise nginx would buffer deltas before it forwards them
    return reply.send(serverSentEvents(frames, signal));
  });
}

/** @param {import('fastify').FastifyRequest} request */
function resumeAfter({ headers, query }) {
  const { after } = /** @type {{ after?: string }} */ (query);
  const seq = Number(headers['last-event-id'] ?? after ?? 0);
  return Number.isSafeInteger(seq) && seq >= 0 ? seq : 0;
}

/**
 * Returns the frames as bytes for the browser. Ends with them, or with the signal; a slow browser slows the reading from Parley
 * down instead of filling memory here.
 * @param {AsyncIterable<import('@parley/client').JournalFrame>} frames
 * @param {AbortSignal} signal
 */
function serverSentEvents(frames, signal) {
  const out = new PassThrough();
  out.write('retry: 2000\n\n');
  const heartbeat = setInterval(() => {
    if (!out.writableNeedDrain) out.write(': still here\n\n');
  }, heartbeatMs);
  void pump(frames, out, signal).finally(() => {
    clearInterval(heartbeat);
    out.end();
  });
  return out;
}

/**
 * @param {AsyncIterable<import('@parley/client').JournalFrame>} frames
 * @param {PassThrough} out
 * @param {AbortSignal} signal
 */
async function pump(frames, out, signal) {
  try {
    for await (const frame of frames) {
      const id = frame.delivery === 'durable' ? `id: ${frame.seq}\n` : '';
      if (!out.write(`${id}data: ${JSON.stringify(frame)}\n\n`)) await once(out, 'drain', { signal });
    }
  } catch {
    // Refused for good (signed out at Parley, account disabled) or disconnected: the stream ends, and when the browser
    // reconnects, the calls at the start of the route report the reason.
  }
}
