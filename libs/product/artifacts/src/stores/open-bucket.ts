import type { Configuration } from '@app/settings';
import type { S3Options } from './s3-client.adapter';
import type { BucketFiles, s3Files } from './s3-files.adapter';

/** The settings of a bucket from the configuration. */
export function s3OptionsOf({ env }: Configuration, bucket: string): S3Options {
  return {
    bucket,
    endpoint: env.S3_ENDPOINT ?? null,
    forcePathStyle: env.S3_FORCE_PATH_STYLE ?? env.S3_ENDPOINT !== undefined,
    region: env.S3_REGION,
    credentials: credentialsOf(env),
    timeoutMs: env.S3_TIMEOUT_MS,
  };
}

/** Null leaves them to the SDK: its variables, profiles, roles of containers and machines. */
function credentialsOf({ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey }: Configuration['env']) {
  return accessKeyId === undefined || secretAccessKey === undefined ? null : { accessKeyId, secretAccessKey };
}

/** Opens a bucket with the settings of the S3 variables, except for its name. @param prefix of every path */
export function openBucketFiles(configuration: Configuration, bucket: string, prefix: string): BucketFiles {
  // Reason for the assertion: `require` knows no types.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load the SDK at every start, for a tenth of a second
  const adapter = require('./s3-files.adapter') as { readonly s3Files: typeof s3Files };
  return adapter.s3Files(s3OptionsOf(configuration, bucket), prefix);
}
