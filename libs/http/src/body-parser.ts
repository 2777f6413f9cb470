import { invalid, type Result } from '@app/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isPlainObject } from './dto';
import { ProblemException } from './problems';
import { contextOf } from './request-context';
import { parseStrictJson } from './strict-json';

/** Makes Fastify read every body as bytes up to its limit, and parse it as its operation says. */
export function parseBodiesStrictly(fastify: FastifyInstance): void {
  // The built-in parsers take text/plain and let the last of two equal members win.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    const body = readBody(request, bytes);
    if (body.ok) done(null, body.value);
    else done(new ProblemException(body.refusal));
  });
}

/** `undefined` for an empty body, which every operation takes as it would take none. */
function readBody(request: FastifyRequest, bytes: Buffer): Result<unknown> {
  const { plan } = contextOf(request);
  if (plan?.body === 'bytes') return { ok: true, value: bytes };
  if (bytes.length === 0) return { ok: true, value: undefined };
  if (!isJson(request.headers['content-type'])) return refused('needs the Content-Type application/json');
  const parsed = parseStrictJson(bytes);
  // Every JSON body of the contract is an object, and Nest would hand `null` on as if nothing had been sent.
  return parsed.ok && !isPlainObject(parsed.value) ? refused('must be an object') : parsed;
}

function refused(message: string): Result<never> {
  return { ok: false, refusal: invalid('', message) };
}

/** RFC 8259 defines no parameter; `charset=utf-8` is let through because many clients send it. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return /^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i.test(contentType ?? '');
}
