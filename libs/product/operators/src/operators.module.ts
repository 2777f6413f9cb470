import { Module } from '@nestjs/common';
import { AuditModule, AuditServingModule } from '@app/audit';
import { DeploymentModule } from '@app/deployment';
import { ExportModule, PrivacyModule } from '@app/privacy';
import { WebhooksModule } from '@app/webhooks';
import { OperatorsApprovalsController, operatorsApprovalsHandlers } from './approvals/approvals.controller';
import { OperatorsAuditController, operatorsAuditHandlers } from './audit/audit.controller';
import { ChangeDeliveriesHandler } from './changes/change-deliveries';
import { ChangeReadModelHandler } from './changes/change-read-model';
import { EnableAccountHandler } from './changes/enable-account';
import { OperatorsAutomationsController, operatorsAutomationsHandlers } from './automations/automations.controller';
import { OperatorsDeploymentController, operatorsDeploymentHandlers } from './deployment/deployment.controller';
import { OperatorsDocumentController, operatorsDocumentHandlers } from './document/document.controller';
import { OperatorsLogHoldController } from './deployment/log-hold.controller';
import { OperatorsKeysController, operatorsKeysHandlers } from './keys/keys.controller';
import { OperatorChanges } from './changes/operator-changes';
import { OperatedRuns } from './runs/operated-runs';
import { OperatorReads } from './operator-log/operator-reads';
import { OperatorWatchdog } from './changes/operator-watchdog';
import { OperatorsProjectionsController, operatorsProjectionsHandlers } from './projections/projections.controller';
import { OperatorsRunsController, operatorsRunsHandlers } from './runs/runs.controller';
import { OperatorsStreamsController, operatorsStreamsHandlers } from './streams/streams.controller';
import { OperatorsTransparencyController, operatorsTransparencyHandlers } from './transparency/transparency.controller';
import { OperatorsUsersController, operatorsUsersHandlers } from './users/users.controller';
import { OperatorsWebhooksController, operatorsWebhooksHandlers } from './webhooks/webhooks.controller';

/** Handlers of changes that have no stream of their own, in every process that makes or completes changes. */
@Module({
  imports: [PrivacyModule, WebhooksModule],
  providers: [ChangeDeliveriesHandler, ChangeReadModelHandler, EnableAccountHandler],
})
class OwnChangesModule {}

/** The operator API, in the processes that serve it. */
@Module({
  imports: [AuditModule, AuditServingModule, DeploymentModule, ExportModule, OwnChangesModule, WebhooksModule],
  controllers: [
    OperatorsKeysController,
    OperatorsUsersController,
    OperatorsRunsController,
    OperatorsAutomationsController,
    OperatorsDeploymentController,
    OperatorsProjectionsController,
    OperatorsWebhooksController,
    OperatorsStreamsController,
    OperatorsApprovalsController,
    OperatorsAuditController,
    OperatorsLogHoldController,
    OperatorsTransparencyController,
    OperatorsDocumentController,
  ],
  providers: [
    OperatorChanges,
    OperatedRuns,
    OperatorReads,
    ...operatorsApprovalsHandlers,
    ...operatorsAuditHandlers,
    ...operatorsAutomationsHandlers,
    ...operatorsDeploymentHandlers,
    ...operatorsDocumentHandlers,
    ...operatorsKeysHandlers,
    ...operatorsProjectionsHandlers,
    ...operatorsRunsHandlers,
    ...operatorsStreamsHandlers,
    ...operatorsTransparencyHandlers,
    ...operatorsUsersHandlers,
    ...operatorsWebhooksHandlers,
  ],
})
export class OperatorsModule {}

/** Completes the changes that operators requested, in workers. */
@Module({ imports: [AuditModule, OwnChangesModule], providers: [OperatorChanges, OperatorWatchdog] })
export class OperatorWorkModule {}
