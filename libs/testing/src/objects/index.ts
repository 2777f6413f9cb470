export { leastRights, StrictS3, type S3Right } from './strict-s3';
