import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Unavailable } from '@app/kernel';
import { connectS3, type S3Options } from './s3-client.adapter';
import { isDenied } from './s3-refusals';

/** Files in a bucket, by their paths below a prefix. Every method throws Unavailable. */
export interface BucketFiles {
  /** Null if there is none. */
  read(this: void, path: string): Promise<Uint8Array | null>;
  /** Whether there is a file; false also if the bucket does not say. */
  has(this: void, path: string): Promise<boolean>;
  write(this: void, path: string, bytes: Uint8Array): Promise<void>;
  /** Removes the file if the bucket allows this service to remove anything. */
  remove(this: void, path: string): Promise<void>;
  close(this: void): void;
}

/** Small files in a bucket, each read and written as a whole, under a prefix. Every method throws Unavailable. */
export function s3Files(options: S3Options, prefix: string): BucketFiles {
  const client = connectS3(options);
  const place = (path: string) => ({ Bucket: options.bucket, Key: `${prefix}${path}` });
  return {
    async read(path) {
      try {
        const { Body: body } = await client.send(new GetObjectCommand(place(path)));
        return (await body?.transformToByteArray()) ?? null;
      } catch (error) {
        // Without the right to list the bucket, a missing file is reported as denied.
        if (error instanceof NoSuchKey || isDenied(error)) return null;
        throw away(error);
      }
    },
    async has(path) {
      try {
        await client.send(new HeadObjectCommand(place(path)));
        return true;
      } catch (error) {
        if (error instanceof NotFound || isDenied(error)) return false;
        throw away(error);
      }
    },
    async write(path, bytes) {
      await client.send(new PutObjectCommand({ ...place(path), Body: bytes })).catch(rethrown);
    },
    async remove(path) {
      try {
        await client.send(new DeleteObjectCommand(place(path)));
      } catch (error) {
        // An outdated file does no harm: a lifecycle rule of the bucket may remove it.
        if (!isDenied(error)) throw away(error);
      }
    },
    close: () => client.destroy(),
  };
}

const away = (error: unknown): Unavailable => new Unavailable('bucket', { cause: error });

function rethrown(error: unknown): never {
  throw away(error);
}
