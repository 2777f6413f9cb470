import type { S3Client } from '@aws-sdk/client-s3';
import { Readable, Transform, pipeline } from 'node:stream';

/** Most bytes of an answer that is no file: well over a page of a list with the longest keys. */
const documentBytesMax = 4 * 1024 * 1024;

/** The part of an answer that is read here; the SDK types it unknown. */
interface RawAnswer {
  statusCode: number;
  body?: unknown;
}

/**
 * Bounds those answers of S3 that the SDK reads to their end by itself (documents, refusals, empty ones), which have no limit once the head
 * has arrived: each has `timeoutMs` and 4 MiB. A file is left to its reader. A status below 200 is an error, because the SDK would take a
 * 101 for a success.
 */
export function boundAnswers(client: S3Client, timeoutMs: number): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        // Reason for the assertion: the SDK's HTTP handler returns this, and types it unknown.
        const answer = result.response as RawAnswer;
        const isFile = commandName === 'GetObjectCommand' && answer.statusCode < 300;
        if (answer.body instanceof Readable && answer.statusCode < 200) {
          answer.body.destroy();
          throw new Error(`S3 answered ${answer.statusCode}`);
        }
        if (answer.body instanceof Readable && !isFile) answer.body = bounded(answer.body, timeoutMs);
        return result;
      },
    // Next to the HTTP handler, and so before the SDK reads anything.
    { step: 'deserialize', priority: 'low', name: 'boundAnswers' },
  );
}

function bounded(body: Readable, timeoutMs: number): Readable {
  let bytes = 0;
  const within = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= documentBytesMax) return done(null, chunk);
      return done(new Error(`an answer of more than ${documentBytesMax} bytes`));
    },
  });
  const late = setTimeout(() => within.destroy(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs);
  pipeline(body, within, () => clearTimeout(late)); // the reader gets the error
  return within;
}
