import { Module } from '@nestjs/common';
import { ArtifactsModule } from '@app/artifacts';
import { AuditModule } from '@app/audit';
import { Certificates } from './certificates';
import { CloseConversations } from './close-conversations';
import { ClosedEvents } from './closed-events';
import { DueConversations } from './due-conversations';
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
import { RetentionWork } from './retention-work';
import { RequestErasureHandler } from './request-erasure';

/** Asks for erasures, and reads them. */
@Module({ providers: [FindErasureHandler, RequestErasureHandler] })
export class PrivacyModule {}

/** Makes exports of users. */
@Module({ imports: [ArtifactsModule], providers: [ExportUserHandler, PersonalStreams] })
export class ExportModule {}

/** Carries out erasures, and closes what is kept no longer, in workers. */
@Module({
  imports: [ArtifactsModule, AuditModule],
  providers: [
    Certificates,
    CloseConversations,
    ClosedEvents,
    DestroyKeys,
    DueConversations,
    Endings,
    ErasureSteps,
    ErasureWork,
    KeyTableCleaning,
    PersonalStreams,
    ProveErasure,
    PurgeUser,
    Purges,
    RetentionWork,
  ],
})
export class PrivacyWorkModule {}
