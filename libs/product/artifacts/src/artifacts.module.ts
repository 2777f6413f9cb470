import { Module } from '@nestjs/common';
import { QuotasModule } from '@app/quotas';
import { Configuration } from '@app/settings';
import { join } from 'node:path';
import { ArtifactContent } from './artifact-content';
import { ArtifactRemoval } from './artifact-removal';
import { ArtifactsOfUser } from './artifacts-of-user';
import { ArtifactReader } from './reading/artifact-reader';
import { ArtifactBytes } from './sealed/artifact-bytes';
import { ArtifactStore } from './stores/artifact-store';
import { ArtifactRow, artifactsMigrations, artifactsProjection } from './artifacts.projection';
import { ArtifactsController, artifactsHandlers } from './artifacts.controller';
import { FoundArtifacts } from './find-artifacts';
import { DirectoryStore } from './stores/directory-store';
import { s3OptionsOf } from './stores/open-bucket';
import type * as S3 from './stores/s3-store.adapter';
import { StoreUpkeep } from './stores/store-upkeep';

@Module({
  imports: [QuotasModule],
  controllers: [ArtifactsController],
  providers: [
    ...artifactsHandlers,
    ArtifactBytes,
    ArtifactContent,
    ArtifactReader,
    ArtifactRemoval,
    ArtifactsOfUser,
    FoundArtifacts,
    StoreUpkeep,
    { provide: ArtifactStore, useFactory: configuredStore, inject: [Configuration] },
  ],
  exports: [ArtifactReader, ArtifactRemoval, ArtifactsOfUser],
})
export class ArtifactsModule {}

/** The slice's tables, migrations and projections in PostgreSQL. */
export const artifactsReadModel = {
  rows: [ArtifactRow],
  migrations: artifactsMigrations,
  projections: [artifactsProjection],
};

function configuredStore(configuration: Configuration): ArtifactStore {
  const { env } = configuration;
  if (env.ARTIFACT_STORE === 'directory') return new DirectoryStore(join(env.PARLEY_DATA_DIR, 'artifacts'));
  // Reason for the assertion: `require` knows no types.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load the SDK at every start, for a tenth of a second
  const { S3Store } = require('./stores/s3-store.adapter') as typeof S3;
  // The configuration has checked it already.
  if (env.S3_BUCKET === undefined) throw new Error('ARTIFACT_STORE=s3 needs the bucket');
  return new S3Store(s3OptionsOf(configuration, env.S3_BUCKET));
}
