import { Module } from '@nestjs/common';
import { AuditModule, AuditServingModule } from '@app/audit';
import { DeploymentModule } from '@app/deployment';
import { WebhooksModule } from '@app/webhooks';
import { OperatorsApprovalsController, operatorsApprovalsHandlers } from './approvals.controller';
import { OperatorsAuditController, operatorsAuditHandlers } from './audit.controller';
import { ChangeDeliveriesHandler } from './change-deliveries';
import { ChangeReadModelHandler } from './change-read-model';
import { OperatorsAutomationsController, operatorsAutomationsHandlers } from './automations.controller';
import { OperatorsDeploymentController, operatorsDeploymentHandlers } from './deployment.controller';
import { OperatorsDocumentController, operatorsDocumentHandlers } from './document.controller';
import { OperatorsLogHoldController } from './log-hold.controller';
import { OperatorsKeysController, operatorsKeysHandlers } from './keys.controller';
import { OperatorChanges } from './operator-changes';
import { OperatedRuns } from './operated-runs';
import { OperatorReads } from './operator-reads';
import { OperatorWatchdog } from './operator-watchdog';
import { OperatorsProjectionsController, operatorsProjectionsHandlers } from './projections.controller';
import { OperatorsRunsController, operatorsRunsHandlers } from './runs.controller';
import { OperatorsStreamsController, operatorsStreamsHandlers } from './streams.controller';
import { OperatorsTransparencyController, operatorsTransparencyHandlers } from './transparency.controller';
import { OperatorsUsersController, operatorsUsersHandlers } from './users.controller';
import { OperatorsWebhooksController, operatorsWebhooksHandlers } from './webhooks.controller';

/** Handlers of changes that have no stream of their own, in every process that makes or completes changes. */
@Module({ imports: [WebhooksModule], providers: [ChangeDeliveriesHandler, ChangeReadModelHandler] })
class OwnChangesModule {}

/** The operator API, in the processes that serve it. */
@Module({
  imports: [AuditModule, AuditServingModule, DeploymentModule, OwnChangesModule, WebhooksModule],
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
