import { S3Client } from '@aws-sdk/client-s3';
import { boundAnswers } from './s3-answers.adapter';

export interface S3Options {
  readonly bucket: string;
  /** An S3-compatible server; null: Amazon's own. */
  readonly endpoint: string | null;
  /** Whether the bucket's name is in the path rather than in the host. */
  readonly forcePathStyle: boolean;
  readonly region: string;
  /** Null: the SDK's default chain. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** How long one attempt of a request may take until its answer begins, and how long S3 may be silent within the answer. */
  readonly timeoutMs: number;
}

const connectWithinMs = 3_000;
const triesMax = 3;

/** Creates a client that gives up when S3 stops sending. */
export function connectS3({ endpoint, forcePathStyle, region, credentials, timeoutMs }: S3Options): S3Client {
  // Otherwise the SDK prints at every start on Node 20 that later versions need 22; ours is locked to an earlier one (docs/production.md).
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(credentials !== null && { credentials }),
    ...(endpoint !== null && { endpoint }),
    maxAttempts: triesMax,
    requestHandler: {
      connectionTimeout: Math.min(connectWithinMs, timeoutMs),
      requestTimeout: timeoutMs,
      // Otherwise the SDK warns about a request that takes longer, and waits on.
      throwOnRequestTimeout: true,
    },
    // Otherwise a stream is sent in a framing with checksums, which not every compatible server removes again.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  boundAnswers(client, timeoutMs);
  return client;
}
