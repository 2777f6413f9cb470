import { MIMEType } from 'node:util';
import { invalid, isJsonObject, type JsonValue, type Result } from '@app/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { ProblemException, type Failure } from '../problems/problems';
import { contextOf } from '../request/request-context';
import { brokenOff, packed, streamedBody, tooLarge, tooSlow } from './streamed-body';
import { parseStrictJson } from './strict-json';

/**
 * Makes Fastify read every body as bytes up to its limit, and parse it as its operation declares, or pass it on as a stream. Bodies of
 * `GET` and `HEAD` are read too, so that an unexpected one is refused.
 * @param withinMs how long a body may take to arrive, unless it is streamed
 */
export function parseBodiesStrictly(fastify: FastifyInstance, withinMs: number): void {
  // The built-in parsers accept text/plain and let the last of two equal members win.
  fastify.removeAllContentTypeParsers();
  for (const method of ['GET', 'HEAD']) fastify.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  fastify.addContentTypeParser('*', (request, payload, done) => {
    const { body: form } = contextOf(request).plan ?? {};
    if (isPacked(request.headers['content-encoding']))
      return done(new ProblemException(packed, { 'accept-encoding': 'identity' })); // RFC 9110, section 15.5.16
    const limitBytes = request.routeOptions.bodyLimit;
    const declaredBytes = Number(request.headers['content-length']);
    if (declaredBytes > limitBytes) return done(new ProblemException(tooLarge));
    if (form === 'stream') {
      return done(null, declaredBytes === 0 ? undefined : streamedBody(payload, limitBytes));
    }
    readWhole(payload, { limitBytes, withinMs }, (failure, bytes) => {
      const body: Result<unknown> | null = failure === null ? readBody(request, bytes) : null;
      if (body?.ok) done(null, body.value);
      else done(new ProblemException(body?.refusal ?? failure ?? tooLarge));
    });
  });
}

/** Whether a body has any content coding; an empty list of codings means none. */
function isPacked(contentEncoding: string | undefined): boolean {
  return !/^[\s,]*(identity[\s,]*)*$/i.test(contentEncoding ?? '');
}

type Read = (failure: Failure | null, bytes: Buffer) => void;

/** Reads a body to its end. By events, the cheapest way, because every request with a body passes here. */
function readWhole(
  payload: Readable,
  { limitBytes, withinMs }: { readonly limitBytes: number; readonly withinMs: number },
  done: Read,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limitBytes) return stop(tooLarge);
    chunks.push(chunk);
  };
  const onEnd = (): void => stop(null);
  const onError = (): void => stop(brokenOff);
  const late = setTimeout(() => stop(tooSlow), withinMs).unref();
  const stop = (failure: Failure | null): void => {
    clearTimeout(late);
    // The remaining bytes are discarded.
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    done(failure, failure === null ? Buffer.concat(chunks, bytes) : Buffer.alloc(0));
  };
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

/** Returns `undefined` for an empty body, which every operation treats like an absent one. */
function readBody(request: FastifyRequest, bytes: Buffer): Result<unknown> {
  const { plan } = contextOf(request);
  if (plan?.body === 'bytes') return { ok: true, value: bytes };
  if (bytes.length === 0) return { ok: true, value: undefined };
  return jsonBody(request.headers['content-type'], bytes);
}

/** Parses the JSON object of a body, as strictly as every body; refuses with its issues. */
export function jsonBody(contentType: string | undefined, bytes: Buffer): Result<JsonValue> {
  if (!isJson(contentType)) return refuse('needs the Content-Type application/json, or one that ends in +json');
  const parsed = parseStrictJson(bytes);
  // Every JSON body of the contract is an object, and Nest would treat `null` as an absent body.
  return parsed.ok && !isJsonObject(parsed.value) ? refuse('must be an object') : parsed;
}

function refuse(message: string): Result<never> {
  return { ok: false, refusal: invalid('', message) };
}

/** Whether the type is `application/json` or another JSON type (RFC 6839), in no other charset than UTF-8 (RFC 8259, section 8.1). */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === 'application/json') return contentType !== undefined;
  const type = mediaTypeOf(contentType);
  if (type === null || !(type.essence === 'application/json' || /.\+json$/.test(type.subtype))) return false;
  return /^utf-8$/i.test(type.params.get('charset') ?? 'utf-8');
}

/** Null if the text is not a media type. */
function mediaTypeOf(text: string): MIMEType | null {
  try {
    return new MIMEType(text);
  } catch {
    return null;
  }
}
