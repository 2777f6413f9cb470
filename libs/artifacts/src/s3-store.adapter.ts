import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Unavailable } from '@app/kernel';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { abandonedAfterMs, Measured, type ArtifactStore, type StoredBytes } from './artifact-store';

export interface S3Options {
  readonly bucket: string;
  /** An S3-compatible server, asked in path style; null is Amazon's own. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** How long one try of a request may take until its answer begins, and how long S3 may be silent within the answer. */
  readonly timeoutMs: number;
}

/** One part of an upload, which is all of it that is held in memory: the smallest that S3 takes. */
const partBytes = 5 * 1024 * 1024;
const connectWithinMs = 3_000;
const triesMax = 3;

/**
 * Artifacts in an S3 bucket, under `artifacts/<sha256>`. The hash is known at the end only, so an upload goes to `incoming/<uuid>`
 * and is then copied by the server. Parts of uploads that a crash cut off are the bucket's own to expire (a lifecycle rule).
 */
export class S3Store implements ArtifactStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly timeoutMs: number;

  constructor({ bucket, endpoint, region, accessKeyId, secretAccessKey, timeoutMs }: S3Options) {
    this.bucket = bucket;
    this.timeoutMs = timeoutMs;
    this.client = new S3Client({
      region,
      credentials: { accessKeyId, secretAccessKey },
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      maxAttempts: triesMax,
      requestHandler: {
        connectionTimeout: Math.min(connectWithinMs, timeoutMs),
        requestTimeout: timeoutMs,
        // Else the SDK warns of a request that takes longer, and waits on.
        throwOnRequestTimeout: true,
      },
      // Else a stream is sent in a framing of its checksums, which not every compatible server takes off again.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async put(body: AsyncIterable<Buffer>): Promise<StoredBytes> {
    const measured = new Measured(body);
    const incoming = { Bucket: this.bucket, Key: `incoming/${randomUUID()}` };
    try {
      const upload = new Upload({
        client: this.client,
        params: { ...incoming, Body: Readable.from(measured.chunks(), { objectMode: false }) },
        partSize: partBytes,
        queueSize: 1,
        leavePartsOnError: false,
      });
      await upload.done();
      const stored = measured.finish();
      if (!(await this.has(stored.sha256))) {
        const CopySource = encodeURI(`${this.bucket}/${incoming.Key}`);
        await this.client.send(new CopyObjectCommand({ Bucket: this.bucket, Key: keyOf(stored.sha256), CopySource }));
      }
      await this.client.send(new DeleteObjectCommand(incoming));
      return stored;
    } catch (error) {
      throw measured.failureOr(new Unavailable('artifact store', { cause: error }));
    }
  }

  async get(sha256: string, signal?: AbortSignal): Promise<Readable | null> {
    try {
      const wanted = new GetObjectCommand({ Bucket: this.bucket, Key: keyOf(sha256) });
      const { Body: body } = await this.client.send(wanted, { ...(signal && { abortSignal: signal }) });
      if (body instanceof Readable) return this.heard(body, signal);
      throw new Error('S3 answered without a stream');
    } catch (error) {
      if (error instanceof NoSuchKey) return null;
      signal?.throwIfAborted();
      throw new Unavailable('artifact store', { cause: error });
    }
  }

  async sweep(signal: AbortSignal): Promise<void> {
    const abort = { abortSignal: signal };
    try {
      // One page a time: the next sweep takes what is left.
      const found = await this.client.send(
        new ListObjectsV2Command({ Bucket: this.bucket, Prefix: 'incoming/' }),
        abort,
      );
      for (const { Key: key, LastModified: at } of found.Contents ?? []) {
        if (key === undefined || at === undefined || at.getTime() >= Date.now() - abandonedAfterMs) continue;
        await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key }), abort);
      }
    } catch (error) {
      throw new Unavailable('artifact store', { cause: error });
    }
  }

  /** The body of an answer, which breaks when S3 falls silent within it; a reader that is slow is no silence. */
  private heard(body: Readable, signal: AbortSignal | undefined): Readable {
    const content = Readable.from(heardOut(body, this.timeoutMs, signal), { objectMode: false });
    return content.once('close', () => body.destroy());
  }

  private async has(sha256: string): Promise<boolean> {
    try {
      await this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: keyOf(sha256) }));
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }
}

function keyOf(sha256: string): string {
  return `artifacts/${sha256}`;
}

async function* heardOut(
  body: Readable,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, void, undefined> {
  // Reason for the assertion: no encoding is set.
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const late = setTimeout(() => body.destroy(new Error(`S3 said nothing for ${silenceMs} ms`)), silenceMs);
    try {
      const next = await chunks.next();
      if (next.done === true) return;
      clearTimeout(late);
      yield next.value;
    } catch (error) {
      signal?.throwIfAborted();
      throw new Unavailable('artifact store', { cause: error });
    } finally {
      clearTimeout(late);
    }
  }
}
