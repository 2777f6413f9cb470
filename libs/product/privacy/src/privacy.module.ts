import { Module } from '@nestjs/common';
import { ArtifactsModule } from '@app/artifacts';
import { AuditModule } from '@app/audit';
import { Certificates } from './erasure/certificates';
import { CloseConversations } from './retention/close-conversations';
import { ClosedEvents } from './erasure/closed-events';
import { DueConversations } from './retention/due-conversations';
import { DestroyKeys } from './erasure/destroy-keys';
import { Endings } from './erasure/endings';
import { ErasureSteps } from './erasure/erasure-steps';
import { ErasureWork } from './erasure/erasure-work';
import { FindErasureHandler } from './erasure/erasure.queries';
import { ExportUserHandler } from './export/export-user';
import { KeyTableCleaning } from './key-table-cleaning';
import { PersonalStreams } from './personal-streams';
import { ProveErasure } from './erasure/prove-erasure';
import { PurgeUser } from './erasure/purge-user';
import { Purges } from './erasure/purges';
import { RetentionWork } from './retention/retention-work';
import { RequestErasureHandler } from './erasure/request-erasure';

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
