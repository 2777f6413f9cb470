import { Module } from '@nestjs/common';
import { ArtifactsModule } from '@app/artifacts';
import { AuditModule } from '@app/audit';
import { Certificates } from './certificates';
import { ClosedEvents } from './closed-events';
import { DestroyKeys } from './destroy-keys';
import { Endings } from './endings';
import { ErasureSteps } from './erasure-steps';
import { ErasureWork } from './erasure-work';
import { FindErasureHandler } from './erasure.queries';
import { ExportUserHandler } from './export/export-user';
import { KeyTableCleaning } from './key-table-cleaning';
import { PersonalStreams } from './personal-streams';
import { ProveErasure } from './prove-erasure';
import { PurgeUser } from './purge-user';
import { Purges } from './purges';
import { RequestErasureHandler } from './request-erasure';

/** Asks for erasures, and reads them. */
@Module({ providers: [FindErasureHandler, RequestErasureHandler] })
export class PrivacyModule {}

/** Makes exports of users. */
@Module({ imports: [ArtifactsModule], providers: [ExportUserHandler, PersonalStreams] })
export class ExportModule {}

/** Carries out erasures, in workers. */
@Module({
  imports: [ArtifactsModule, AuditModule],
  providers: [
    Certificates,
    ClosedEvents,
    DestroyKeys,
    Endings,
    ErasureSteps,
    ErasureWork,
    KeyTableCleaning,
    PersonalStreams,
    ProveErasure,
    PurgeUser,
    Purges,
  ],
})
export class PrivacyWorkModule {}
