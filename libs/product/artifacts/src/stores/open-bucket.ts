import type { Configuration } from '@app/settings';
import type { BucketFiles } from './bucket-files';
import type * as S3 from './s3-files.adapter';
import { s3OptionsOf } from './s3-options';

/** Opens a bucket with the settings of the S3 variables, except for its name. @param prefix of every path */
export function openBucketFiles(configuration: Configuration, bucket: string, prefix: string): BucketFiles {
  // Reason for the assertion: `require` knows no types.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load the SDK at every start, for a tenth of a second
  const { s3Files } = require('./s3-files.adapter') as typeof S3;
  return s3Files(s3OptionsOf(configuration, bucket), prefix);
}
