import { Module } from '@nestjs/common';
import { Configuration } from '@app/runtime';
import { join } from 'node:path';
import { ArtifactReader } from './artifact-reader';
import { ArtifactStore } from './artifact-store';
import { ArtifactRow, CreateArtifacts1700000000660, OwnArtifacts1700000000661 } from './artifact.row';
import { ArtifactsController } from './artifacts.controller';
import { artifactsProjection } from './artifacts.projection';
import { ArtifactQueries } from './artifacts.queries';
import { DirectoryStore } from './directory-store';
import { S3Store } from './s3-store.adapter';
import { SweepUploads } from './sweep-uploads';
import { UploadArtifact } from './upload-artifact';

@Module({
  controllers: [ArtifactsController],
  providers: [
    ArtifactQueries,
    ArtifactReader,
    SweepUploads,
    UploadArtifact,
    { provide: ArtifactStore, useFactory: configuredStore, inject: [Configuration] },
  ],
  exports: [ArtifactReader],
})
export class ArtifactsModule {}

/** What the slice keeps in PostgreSQL. */
export const artifactsReadModel = {
  rows: [ArtifactRow],
  migrations: [CreateArtifacts1700000000660, OwnArtifacts1700000000661],
  projections: [artifactsProjection],
};

function configuredStore({ env }: Configuration): ArtifactStore {
  if (env.ARTIFACT_STORE === 'directory') return new DirectoryStore(join(env.PARLEY_DATA_DIR, 'artifacts'));
  return new S3Store({
    bucket: needed(env.S3_BUCKET),
    endpoint: env.S3_ENDPOINT ?? null,
    region: env.S3_REGION,
    accessKeyId: needed(env.S3_ACCESS_KEY_ID),
    secretAccessKey: needed(env.S3_SECRET_ACCESS_KEY),
    timeoutMs: env.S3_TIMEOUT_MS,
  });
}

/** What the configuration has made sure of already. */
function needed(value: string | undefined): string {
  if (value === undefined) throw new Error('ARTIFACT_STORE=s3 needs the bucket and its access key');
  return value;
}
