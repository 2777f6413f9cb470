import type { Configuration } from '@app/settings';
import type { S3Options } from './s3-client.adapter';

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
