import { Injectable, Logger } from '@nestjs/common';
import { askedBytes, ProblemException } from '@app/http';
import { notFound } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ArtifactFile } from './artifact.schema';
import { ArtifactBytes, ErasedContent, type PlainReading } from './sealed/artifact-bytes';

/** Downloads of artifacts. Not a query, because it writes the reply's head, which depends on the requested range. */
@Injectable()
export class ArtifactContent {
  private readonly logger = new Logger('artifacts');

  constructor(private readonly bytes: ArtifactBytes) {}

  /**
   * Returns the requested bytes, with the reply's head written; null if the caller already has them. Browsers get the media type that a
   * user declared, so the headers also forbid them to sniff, open or execute anything.
   * @throws ProblemException for a range outside of the file, and once the bytes are erased; Unavailable
   */
  async open(file: ArtifactFile, reply: FastifyReply): Promise<Readable | null> {
    const { name, mediaType, bytes, sha256 } = file;
    const { method, headers } = reply.request;
    const asked = askedBytes(method, headers, `"${sha256}"`, bytes);
    if (asked.kind === 'outside')
      throw new ProblemException(
        { kind: 'bare', problem: 'range_not_satisfiable' },
        { 'content-range': `bytes */${bytes}` },
      );
    const range = asked.kind === 'part' ? asked.range : undefined;
    // HEAD, and a caller that has the bytes, are answered without them, so they need not be fetched.
    const isWithout = method === 'HEAD' || asked.kind === 'unchanged';
    const content = isWithout ? Readable.from([]) : await this.begun(file, { range });
    // Only once the bytes are there, because a refusal is not a file.
    reply.headers({
      etag: `"${sha256}"`,
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    });
    if (asked.kind === 'unchanged') {
      void reply.code(304);
      return null;
    }
    if (range !== undefined) {
      void reply.code(206);
      reply.header('content-range', `bytes ${range.from}-${range.to}/${bytes}`);
    }
    reply.headers({
      'content-type': mediaType,
      'content-length': range === undefined ? bytes : range.to - range.from + 1,
    });
    return content;
  }

  /** The content, once its first bytes are there: what fails earlier is still answered as a problem. @throws Unavailable */
  private async begun(file: ArtifactFile, reading: PlainReading): Promise<Readable> {
    const content = await this.bytes.get({ ...file, artifactId: file.id }, reading).catch((error: unknown) => {
      throw error instanceof ErasedContent ? new ProblemException(notFound) : error;
    });
    if (content.errored !== null) throw content.errored;
    await once(content, 'readable');
    // The HTTP core cuts the connection, and logs nothing.
    return content.once('error', (error) => this.logger.error('the content of an artifact broke off', error));
  }
}
