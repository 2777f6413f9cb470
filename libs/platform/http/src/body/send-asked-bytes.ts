import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { askedBytes } from './byte-ranges';
import { ProblemException } from '../problems/problems';

/**
 * Answers a `ranged` operation with bytes that never change, or the part of them that the request asks for.
 * @param bytes at least one @param headers of every success
 * @throws ProblemException for a part that does not exist
 */
export async function sendAskedBytes(
  reply: FastifyReply,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { method, headers: given } = reply.request;
  const etag = `"${hash('sha256', bytes, 'hex')}"`;
  const asked = askedBytes(method, given, etag, bytes.length);
  if (asked.kind === 'outside')
    throw new ProblemException(
      { kind: 'bare', problem: 'range_not_satisfiable' },
      { 'content-range': `bytes */${bytes.length}` },
    );
  reply.headers({ ...headers, etag, 'accept-ranges': 'bytes' });
  if (asked.kind === 'unchanged') return void (await reply.code(304).send());
  if (asked.kind === 'whole') return void (await reply.send(Buffer.from(bytes)));
  const { from, to } = asked.range;
  reply.header('content-range', `bytes ${from}-${to}/${bytes.length}`);
  await reply.code(206).send(Buffer.from(bytes.subarray(from, to + 1)));
}
