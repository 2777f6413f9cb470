import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/**
 * The rights of a key, by the names of IAM
 * (docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html).
 */
export type S3Right = 's3:GetObject' | 's3:PutObject' | 's3:DeleteObject' | 's3:ListBucket' | 's3:AbortMultipartUpload';

/** The rights that docs/production.md asks for, and no more. */
export const leastRights: readonly S3Right[] = ['s3:GetObject', 's3:PutObject'];

/**
 * An S3 server that refuses what the rights of its one key do not cover, as Amazon S3 and Ceph's gateway do, and s3rver
 * alone does not: `AccessDenied` for each call without its right, `InvalidAccessKeyId` for another key, and for a
 * missing object 403 in place of 404 to a client that may not list the bucket, without a body on `HEAD`.
 *
 * Source: docs.aws.amazon.com/AmazonS3/latest/API, "HeadObject", "GetObject", "PutObject" (each under "Permissions");
 * Ceph's gateway; behind it s3rver 3.7.1.
 */
export class StrictS3 {
  static readonly bucket = 'parley-strict';
  static readonly credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  /** Refused calls, as `right path`. */
  readonly refused: string[] = [];
  rights: ReadonlySet<S3Right>;
  private isStopped = false;

  private constructor(
    readonly endpoint: string,
    readonly folder: string,
    private readonly server: S3rver,
    rights: readonly S3Right[],
  ) {
    this.rights = new Set(rights);
  }

  static async start(rights: readonly S3Right[] = leastRights): Promise<StrictS3> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-strict-s3-'));
    const options = { address: '127.0.0.1', port: 0, silent: true, directory: folder };
    const server = new S3rver({ ...options, configureBuckets: [{ name: StrictS3.bucket, configs: [] }] });
    const ours: { strict?: StrictS3 } = {};
    server.middleware.unshift(async (context, next) => ours.strict?.guard(context, next));
    const { port } = await server.run();
    ours.strict = new StrictS3(`http://127.0.0.1:${port}`, folder, server, rights);
    return ours.strict;
  }

  /** May be called repeatedly. */
  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async guard(context: S3rver.Context, next: () => Promise<unknown>): Promise<void> {
    const key = /Credential=([^/]+)\//.exec(context.get('authorization'))?.[1];
    if (key !== StrictS3.credentials.accessKeyId) return answerError(context, 403, 'InvalidAccessKeyId');
    const right = rightFor(context);
    const isAllowed = this.rights.has(right);
    // The source of a copy must be readable as well.
    const copies = context.get('x-amz-copy-source') !== '' && !this.rights.has('s3:GetObject');
    if (!isAllowed || copies) {
      this.refused.push(`${right} ${context.path}`);
      return answerError(context, 403, 'AccessDenied');
    }
    try {
      await next();
    } catch (error) {
      // A client that may not list a bucket must not learn which objects are missing.
      const isMissing = error instanceof Error && 'code' in error && error.code === 'NoSuchKey';
      if (!isMissing || this.rights.has('s3:ListBucket')) throw error;
      answerError(context, 403, 'AccessDenied');
    }
  }
}

function rightFor({ method, path, url }: S3rver.Context): S3Right {
  const isObject = path.split('/').length > 2 && !path.endsWith('/');
  if (method === 'GET' || method === 'HEAD') return isObject ? 's3:GetObject' : 's3:ListBucket';
  if (method !== 'DELETE') return 's3:PutObject';
  return url.includes('uploadId=') ? 's3:AbortMultipartUpload' : 's3:DeleteObject';
}

function answerError(context: S3rver.Context, status: number, code: string): void {
  context.status = status;
  context.type = 'application/xml';
  context.body =
    context.method === 'HEAD'
      ? ''
      : `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>Access Denied</Message></Error>`;
}
