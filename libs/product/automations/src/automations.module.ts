import { Module } from '@nestjs/common';
import { BudgetModule } from '@app/budget';
import { DeploymentModule } from '@app/deployment';
import { QuotasModule } from '@app/quotas';
import { WalletsModule } from '@app/wallets';
import { AutomationsController, automationsHandlers } from './api/automations.controller';
import { OccurrencesController, occurrencesHandlers } from './api/occurrences.controller';
import { WebhooksController, webhooksHandlers } from './api/webhooks.controller';
import { ContractReviews } from './authority/contract-review';
import { AutomationQuota } from './automation/automation-quota';
import { AutomationRow, automationsMigrations, OccurrenceRow } from './automation/read-model/automation.row';
import { automationsProjection, occurrencesProjection } from './automation/read-model/automations.projection';
import { OccurrenceFigures } from './automation/read-model/occurrence-figures';
import { operationalTablesMigrations } from './automation/read-model/operational-tables.row';
import { AutomationChecks } from './status/automation-checks';
import { DueTimes } from './firing/due-times';
import { InputRecorder } from './inputs/input-recorder';
import { inputsMigrations, InputRow, inputsProjection } from './inputs/input.row';
import { WebhookKeys } from './inputs/webhook-keys';
import { sourceSamplesMigrations } from './sources/source-samples.row';
import { SourcesModule } from './sources/sources.module';
import { AutomationReader } from './automation/automation-reader';
import { DefinitionWriter } from './use-cases/definition-writer';
import { ExplainAutomationHandler } from './use-cases/explain-automation';
import { FiringSwitches } from './use-cases/firing-switches';
import { HoldAutomationHandler } from './use-cases/hold-automation';
import { OccurrenceList } from './automation/read-model/occurrence-list';
import { ReleaseAutomationHandler } from './use-cases/release-automation';

/** Rules that fire by themselves: their definitions, their inputs, and reports about them. */
@Module({
  imports: [BudgetModule, DeploymentModule, QuotasModule, SourcesModule, WalletsModule],
  controllers: [AutomationsController, OccurrencesController, WebhooksController],
  providers: [
    ...automationsHandlers,
    ...occurrencesHandlers,
    ...webhooksHandlers,
    AutomationChecks,
    AutomationQuota,
    AutomationReader,
    ContractReviews,
    DefinitionWriter,
    DueTimes,
    ExplainAutomationHandler,
    FiringSwitches,
    HoldAutomationHandler,
    InputRecorder,
    OccurrenceFigures,
    OccurrenceList,
    ReleaseAutomationHandler,
    WebhookKeys,
  ],
  exports: [AutomationChecks, AutomationReader, DueTimes, SourcesModule],
})
export class AutomationsModule {}

/** The slice's tables and projections in PostgreSQL. */
export const automationsReadModel = {
  rows: [AutomationRow, OccurrenceRow, InputRow],
  migrations: [
    ...automationsMigrations,
    ...inputsMigrations,
    ...operationalTablesMigrations,
    ...sourceSamplesMigrations,
  ],
  projections: [automationsProjection, occurrencesProjection, inputsProjection],
};
