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
}

/** One part of an upload, which is all of it that is held in memory: the smallest that S3 takes. */
const partBytes = 5 * 1024 * 1024;
const connectWithinMs = 3_000;
const answerWithinMs = 30_000;
const attemptsMax = 3;

/**
 * Artifacts in an S3 bucket, under `artifacts/<sha256>`. The hash is known at the end only, so an upload goes to `incoming/<uuid>`
 * and is then copied by the server. Parts of uploads that a crash cut off are the bucket's own to expire (a lifecycle rule).
 */
export class S3Store implements ArtifactStore {
  private readonly client: S3Client;
  private readonly bucket: string;

  constructor({ bucket, endpoint, region, accessKeyId, secretAccessKey }: S3Options) {
    this.bucket = bucket;
    this.client = new S3Client({
      region,
      credentials: { accessKeyId, secretAccessKey },
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      maxAttempts: attemptsMax,
      requestHandler: { connectionTimeout: connectWithinMs, requestTimeout: answerWithinMs },
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

  async get(sha256: string): Promise<Readable | null> {
    try {
      const { Body: body } = await this.client.send(new GetObjectCommand({ Bucket: this.bucket, Key: keyOf(sha256) }));
      if (body instanceof Readable) return body;
      throw new Error('S3 answered without a stream');
    } catch (error) {
      if (error instanceof NoSuchKey) return null;
      throw new Unavailable('artifact store', { cause: error });
    }
  }

  async sweep(): Promise<void> {
    try {
      // One page a time: the next sweep takes what is left.
      const found = await this.client.send(new ListObjectsV2Command({ Bucket: this.bucket, Prefix: 'incoming/' }));
      for (const { Key: key, LastModified: at } of found.Contents ?? []) {
        if (key === undefined || at === undefined || at.getTime() >= Date.now() - abandonedAfterMs) continue;
        await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key }));
      }
    } catch (error) {
      throw new Unavailable('artifact store', { cause: error });
    }
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
