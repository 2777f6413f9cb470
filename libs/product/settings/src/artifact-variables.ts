import { httpUrl, positiveInteger, trueOrFalse } from '@app/runtime';
import { str } from 'envalid';

const inS3 = (env: Readonly<Record<string, unknown>>): boolean => env['ARTIFACT_STORE'] === 's3';

/** The environment variables of artifacts and of the places where they are kept. */
export const artifactVariables = {
  ARTIFACT_LIMIT_BYTES: positiveInteger({ default: 10 * 1024 * 1024, desc: 'Largest uploaded artifact, in bytes' }),
  ARTIFACT_STORE: str({
    choices: ['directory', 's3'] as const,
    default: 'directory',
    desc: 'Where artifacts are kept: a folder artifacts in the data folder, which all processes must share, or S3',
  }),
  S3_BUCKET: str({ default: undefined, requiredWhen: inS3, desc: 'Bucket of the artifacts; it must exist' }),
  S3_ENDPOINT: httpUrl({ default: undefined, desc: "S3-compatible server; unset: Amazon's own" }),
  S3_FORCE_PATH_STYLE: trueOrFalse({
    default: undefined,
    desc: "Ask by https://host/bucket/key (true) or https://bucket.host/key (false); unset: true with S3_ENDPOINT, false for Amazon's own",
  }),
  S3_REGION: str({ default: 'us-east-1', desc: 'Region of the bucket' }),
  S3_ACCESS_KEY_ID: str({
    default: undefined,
    requiredWhen: (env) => env['S3_SECRET_ACCESS_KEY'] !== undefined,
    desc: "Access key for the bucket; unset: the AWS SDK's default credentials, as those of a container's or a machine's role",
  }),
  S3_SECRET_ACCESS_KEY: str({
    default: undefined,
    requiredWhen: (env) => env['S3_ACCESS_KEY_ID'] !== undefined,
    desc: 'Secret, that of the access key',
  }),
  S3_TIMEOUT_MS: positiveInteger({
    default: 10_000,
    desc: 'How long one try of a request to S3 may take until its answer begins, and how long S3 may be silent within the answer, in milliseconds; a request is tried three times',
  }),
};
