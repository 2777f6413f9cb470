import { Module } from '@nestjs/common';
import { DeploymentModule } from '@app/deployment';
import { OperatorsAutomationsController, operatorsAutomationsHandlers } from './automations.controller';
import { OperatorsDeploymentController, operatorsDeploymentHandlers } from './deployment.controller';
import { OperatorsDocumentController, operatorsDocumentHandlers } from './document.controller';
import { OperatorsKeysController, operatorsKeysHandlers } from './keys.controller';
import { OperatorChanges } from './operator-changes';
import { OperatedRuns } from './operated-runs';
import { OperatorReads } from './operator-reads';
import { OperatorWatchdog } from './operator-watchdog';
import { OperatorsRunsController, operatorsRunsHandlers } from './runs.controller';
import { OperatorsUsersController, operatorsUsersHandlers } from './users.controller';

/** The operator API, where it is served. */
@Module({
  imports: [DeploymentModule],
  controllers: [
    OperatorsKeysController,
    OperatorsUsersController,
    OperatorsRunsController,
    OperatorsAutomationsController,
    OperatorsDeploymentController,
    OperatorsDocumentController,
  ],
  providers: [
    OperatorChanges,
    OperatedRuns,
    OperatorReads,
    ...operatorsAutomationsHandlers,
    ...operatorsDeploymentHandlers,
    ...operatorsDocumentHandlers,
    ...operatorsKeysHandlers,
    ...operatorsRunsHandlers,
    ...operatorsUsersHandlers,
  ],
})
export class OperatorsModule {}

/** Completes what operators asked for, in workers. */
@Module({ providers: [OperatorChanges, OperatorWatchdog] })
export class OperatorWorkModule {}
