import { Module } from '@nestjs/common';
import { DeploymentModule } from '@app/deployment';
import { WalletsModule } from '@app/wallets';
import { AutomationChecks } from './automation-checks';
import { AutomationLife } from './automation-life';
import { AutomationQuota } from './automation-quota';
import { AutomationStatuses } from './automation-status';
import { AutomationRow, CreateAutomations1700000000670, OccurrenceRow } from './automation.row';
import { Automations } from './automations';
import { AutomationsController } from './automations.controller';
import { automationsProjection, occurrencesProjection } from './automations.projection';
import { AutomationQueries } from './automations.queries';
import { ContractReviews } from './contract-review';
import { DueTimes } from './firing/due-times';
import {
  AddInputOutcomes1700000000675,
  CreateAutomationInputs1700000000671,
  InputRow,
  inputsProjection,
} from './input.row';
import { InputOutcomes } from './input-outcomes';
import { OccurrencesController } from './occurrences.controller';
import {
  CreateAutomationChecks1700000000672,
  CreateAutomationPlaces1700000000674,
  CreateWebhookKeys1700000000673,
} from './operational-tables.row';
import { SearchAutomations } from './search-automations';
import { CreateSourceSamples1700000000680 } from './sources/source-samples.row';
import { SourcesModule } from './sources/sources.module';
import { SimulateAutomation } from './simulate-automation';
import { TakeInputs } from './take-inputs';
import { TestCondition } from './test-condition';
import { WebhookKeys } from './webhook-keys';
import { WebhooksController } from './webhooks.controller';

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
    CreateAutomations1700000000670,
    CreateAutomationInputs1700000000671,
    CreateAutomationChecks1700000000672,
    CreateWebhookKeys1700000000673,
    CreateAutomationPlaces1700000000674,
    AddInputOutcomes1700000000675,
    CreateSourceSamples1700000000680,
  ],
  projections: [automationsProjection, occurrencesProjection, inputsProjection],
};
