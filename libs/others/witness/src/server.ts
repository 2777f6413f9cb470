import { textOf } from '@app/transparency';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Witness } from './witness';
import { RateLimit, type OnReport } from './reports';

/** A note may hold 100,000 characters, most of them signatures that are ignored. */
const bodyBytesMax = 256 * 1024;
const requestTimeoutMs = 10_000;
/** A full disk fails every submission, and anyone can submit. */
const failureEveryMs = 1_000;
const plain = 'text/plain; charset=utf-8';

/** The witness over HTTP, with one prefix for submitters and readers. Source: C2SP tlog-witness, "HTTP Interface". */
export function witnessServer(witness: Witness, onNews: OnReport): FastifyInstance {
  const server = fastify({
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: 'idle',
    logger: false,
  });
  const failures = new RateLimit(failureEveryMs);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  server.setErrorHandler<Error & { readonly statusCode?: number }>((error, _, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode >= 500 && failures.isDue()) onNews('error', 'a request failed', { error: error.message });
    return reply
      .code(statusCode)
      .type(plain)
      .send(`${statusCode >= 500 ? 'failed' : error.message}\n`);
  });
  server.setNotFoundHandler((_, reply) => reply.code(404).type(plain).send('there is nothing\n'));
  server.post('/add-checkpoint', async ({ body }, reply) => {
    const answer = await witness.add((Buffer.isBuffer(body) ? textOf(body) : null) ?? '');
    // Source of the type: C2SP tlog-witness, "add-checkpoint".
    return reply
      .code(answer.status)
      .type(answer.status === 409 ? 'text/x.tlog.size' : plain)
      .send(answer.body);
  });
  server.get<{ Params: { log: string } }>('/:log/checkpoint', ({ params }, reply) =>
    shown(witness.log(params.log)?.checkpoint(), reply),
  );
  server.get<{ Params: { log: string } }>('/:log/fork', async ({ params }, reply) =>
    shown(await witness.log(params.log)?.fork(), reply),
  );
  server.get('/key', (_, reply) => shown(`${witness.key}\n`, reply));
  server.get('/healthz', (_, reply) => shown('ok\n', reply));
  return server;
}

function shown(text: string | null | undefined, reply: FastifyReply): FastifyReply {
  if (text == null) return reply.code(404).type(plain).send('there is none\n');
  return reply.type(plain).header('cache-control', 'no-store').send(text);
}
