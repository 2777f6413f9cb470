import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  type S3Client,
  type GetObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Logger } from '@nestjs/common';
import type { ByteRange } from '@app/http';
import { Unavailable } from '@app/kernel';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { abandonedAfterMs, Measured, type ArtifactStore, type Reading, type StoredBytes } from './artifact-store';
import { connectS3, type S3Options } from './s3-client.adapter';
import { isDenied, unfitness } from './s3-refusals';
import { isHashed, verified } from './verified-content';

/** One part of an upload, and all of it that is held in memory: the smallest that S3 accepts. */
const partBytes = 5 * 1024 * 1024;

/**
 * Artifacts in an S3 bucket, under `artifacts/<sha256>`. The hash is known at the end only, so an upload goes to `incoming/<uuid>` and is
 * then copied by the server. It needs `s3:GetObject` and `s3:PutObject`; with `s3:DeleteObject` and `s3:ListBucket` it also removes
 * leftovers. Without them, and for parts of uploads that a crash cut off, the bucket needs a lifecycle rule.
 */
export class S3Store implements ArtifactStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly timeoutMs: number;
  private readonly logger = new Logger('artifacts');
  private mayNotTidy = false;

  constructor(options: S3Options) {
    this.bucket = options.bucket;
    this.timeoutMs = options.timeoutMs;
    this.client = connectS3(options);
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
      await this.unlessDenied(() => this.client.send(new DeleteObjectCommand(incoming)));
      return stored;
    } catch (error) {
      throw measured.failureOr(new Unavailable('artifact store', { cause: error }));
    }
  }

  async get(sha256: string, reading: Reading = {}): Promise<Readable | null> {
    const { bytes, range, signal } = reading;
    try {
      const part = range && { Range: `bytes=${range.from}-${range.to}` };
      const wanted = new GetObjectCommand({ Bucket: this.bucket, Key: keyOf(sha256), ...part });
      const answer = await this.client.send(wanted, { ...(signal && { abortSignal: signal }) });
      if (answer.Body instanceof Readable) {
        const content = this.readBody(answer.Body, signal, range ? partWithin(answer, range) : wholeOf(bytes));
        return isHashed(reading) ? verified(content, sha256, this.placeOf(sha256)) : content;
      }
      throw new Error('S3 answered without a stream');
    } catch (error) {
      if (error instanceof NoSuchKey) return null;
      signal?.throwIfAborted();
      throw new Unavailable('artifact store', { cause: error });
    }
  }

  /** A bucket that keeps versions needs a lifecycle rule that expires those that are not current. */
  async remove(sha256: string): Promise<boolean> {
    try {
      await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: keyOf(sha256) }));
      return true;
    } catch (error) {
      if (isDenied(error)) return false;
      throw new Unavailable('artifact store', { cause: error });
    }
  }

  placeOf(sha256: string): string {
    return `s3://${this.bucket}/${keyOf(sha256)}`;
  }

  async sweep(signal: AbortSignal): Promise<void> {
    const abort = { abortSignal: signal };
    try {
      // One page at a time: the next sweep continues.
      const listed = new ListObjectsV2Command({ Bucket: this.bucket, Prefix: 'incoming/' });
      const found = await this.unlessDenied(() => this.client.send(listed, abort));
      for (const { Key: key, LastModified: at } of found?.Contents ?? []) {
        if (key === undefined || at === undefined || at.getTime() >= Date.now() - abandonedAfterMs) continue;
        const left = new DeleteObjectCommand({ Bucket: this.bucket, Key: key });
        await this.unlessDenied(() => this.client.send(left, abort));
      }
    } catch (error) {
      throw new Unavailable('artifact store', { cause: error });
    }
  }

  /** Writes a byte and reads it, which checks exactly the rights that are needed. */
  async look(signal: AbortSignal): Promise<void> {
    const place = { Bucket: this.bucket, Key: 'incoming/looked-at' };
    try {
      await this.client.send(new PutObjectCommand({ ...place, Body: 'x' }), { abortSignal: signal });
      const { Body: body } = await this.client.send(new GetObjectCommand(place), { abortSignal: signal });
      if (body instanceof Readable) await this.readBody(body, signal, wholeOf(1)).resume().toArray();
    } catch (error) {
      throw unfitness(error, this.bucket) ?? new Unavailable('artifact store', { cause: error });
    }
  }

  /** Cleaning up may be denied, and is then not tried again: a lifecycle rule of the bucket does it. */
  private async unlessDenied<Value>(tidy: () => Promise<Value>): Promise<Value | null> {
    if (this.mayNotTidy) return null;
    try {
      return await tidy();
    } catch (error) {
      if (!isDenied(error)) throw error;
      this.mayNotTidy = true;
      this.logger.warn(
        'S3 lets this service remove nothing: give incoming/ a lifecycle rule that expires what is a day old',
      );
      return null;
    }
  }

  /** Returns the body of an answer, which fails when S3 stops sending; a slow reader does not count. */
  private readBody(body: Readable, signal: AbortSignal | undefined, part: Part | undefined): Readable {
    const heard = heardOut(body, this.timeoutMs, signal);
    const content = Readable.from(part === undefined ? heard : cutOut(heard, part), { objectMode: false });
    return content.once('close', () => body.destroy());
  }

  private async has(sha256: string): Promise<boolean> {
    try {
      await this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: keyOf(sha256) }));
      return true;
    } catch (error) {
      // Without the right to list the bucket, a missing object is reported as denied; copying the same bytes once more changes nothing.
      if (error instanceof NotFound || isDenied(error)) return false;
      throw error;
    }
  }
}

function keyOf(sha256: string): string {
  return `artifacts/${sha256}`;
}

/** The place of a range's bytes within the answer. */
interface Part {
  readonly skip: number;
  readonly take: number;
}

const wholeOf = (bytes: number | undefined): Part | undefined =>
  bytes === undefined ? undefined : { skip: 0, take: bytes };

/** Some compatible servers do not support ranges, or not all of them, and answer more than was requested. */
function partWithin({ ContentRange: answered }: GetObjectCommandOutput, { from, to }: ByteRange): Part {
  const [, begins = '0'] = /^bytes (\d+)-/.exec(answered ?? '') ?? [];
  return { skip: from - Number(begins), take: to - from + 1 };
}

async function* cutOut(chunks: AsyncIterable<Buffer>, { skip, take }: Part): AsyncGenerator<Buffer, void, undefined> {
  let [toSkip, toTake] = [skip, take];
  for await (const chunk of chunks) {
    const wanted = chunk.subarray(toSkip, toSkip + toTake);
    toSkip = Math.max(toSkip - chunk.length, 0);
    toTake -= wanted.length;
    if (wanted.length > 0) yield wanted;
    if (toTake === 0) return;
  }
  // A download that ended cleanly, but short of its length, would keep its caller waiting.
  if (toTake > 0) throw new Unavailable('artifact store', { cause: new Error(`${toTake} bytes are missing`) });
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
