import { Module } from '@nestjs/common';
import { DeploymentModule } from '@app/deployment';
import { WalletsModule } from '@app/wallets';
import { AutomationChecks } from './firing/automation-checks';
import { AutomationLife } from './automation/automation-life';
import { AutomationQuota } from './automation/automation-quota';
import { AutomationStatuses } from './api/automation-status';
import { AutomationRow, automationsMigrations, OccurrenceRow } from './automation/automation.row';
import { Automations } from './automation/automations';
import { AutomationsController } from './api/automations.controller';
import { automationsProjection, occurrencesProjection } from './automation/automations.projection';
import { AutomationQueries } from './api/automations.queries';
import { ContractReviews } from './authority/contract-review';
import { DueTimes } from './firing/due-times';
import { inputsMigrations, InputRow, inputsProjection } from './inputs/input.row';
import { InputOutcomes } from './inputs/input-outcomes';
import { OccurrencesController } from './api/occurrences.controller';
import { operationalTablesMigrations } from './automation/operational-tables.row';
import { SearchAutomations } from './api/search-automations';
import { sourceSamplesMigrations } from './sources/source-samples.row';
import { SourcesModule } from './sources/sources.module';
import { SimulateAutomation } from './simulation/simulate-automation';
import { TakeInputs } from './inputs/take-inputs';
import { TestCondition } from './simulation/test-condition';
import { WebhookKeys } from './inputs/webhook-keys';
import { WebhooksController } from './api/webhooks.controller';

/** Rules that fire by themselves: their definitions, what they are handed, and what is known of them. */
@Module({
  imports: [DeploymentModule, SourcesModule, WalletsModule],
  controllers: [AutomationsController, OccurrencesController, WebhooksController],
  providers: [
    AutomationChecks,
    AutomationLife,
    AutomationQuota,
    AutomationQueries,
    AutomationStatuses,
    Automations,
    ContractReviews,
    DueTimes,
    InputOutcomes,
    SearchAutomations,
    SimulateAutomation,
    TakeInputs,
    TestCondition,
    WebhookKeys,
  ],
  exports: [AutomationChecks, AutomationLife, Automations, DueTimes, SourcesModule],
})
export class AutomationsModule {}

/** What the slice keeps in PostgreSQL. */
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
