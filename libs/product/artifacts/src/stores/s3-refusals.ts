import { UnfitArtifactStore } from './artifact-store';

/** Whether S3 refused a call for a right that its caller lacks; the answer to a `HEAD` has no body that would name it. */
export function isDenied(error: unknown): boolean {
  return nameOf(error) === 'AccessDenied' || (statusOf(error) === 403 && sentences[nameOf(error)] === undefined);
}

/** Converts S3's refusal at the start to a fault of the configuration, if it can be nothing else; otherwise null. */
export function unfitness(error: unknown, bucket: string): UnfitArtifactStore | null {
  const name = nameOf(error);
  const said = sentences[name]?.(bucket);
  if (said !== undefined) return new UnfitArtifactStore(said);
  if (!isDenied(error)) return null;
  return new UnfitArtifactStore(
    `S3 lets this service not write and read in the bucket ${bucket} (${name}): allow s3:PutObject and s3:GetObject on all of its objects`,
  );
}

const wrongKey = (name: string) => () =>
  `S3 refuses the credentials of S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY (${name}): correct them`;
const wrongRegion = (bucket: string) => `S3_REGION is not that of the bucket ${bucket}: name the region that it is in`;

/** Keyed by the codes of docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html. */
const sentences: Readonly<Record<string, ((bucket: string) => string) | undefined>> = {
  NoSuchBucket: (bucket) => `S3_BUCKET names ${bucket}, and there is no such bucket: make it, or name another`,
  InvalidBucketName: (bucket) => `S3_BUCKET names ${bucket}, which can be no bucket: correct it`,
  InvalidAccessKeyId: wrongKey('InvalidAccessKeyId'),
  SignatureDoesNotMatch: wrongKey('SignatureDoesNotMatch'),
  InvalidToken: wrongKey('InvalidToken'),
  CredentialsProviderError: () =>
    'S3 needs credentials, and neither S3_ACCESS_KEY_ID nor the default chain of the AWS SDK has any: set one of them',
  PermanentRedirect: wrongRegion,
  AuthorizationHeaderMalformed: wrongRegion,
};

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function statusOf(error: unknown): unknown {
  const metadata: unknown = error instanceof Error ? Reflect.get(error, '$metadata') : undefined;
  return typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : undefined;
}
