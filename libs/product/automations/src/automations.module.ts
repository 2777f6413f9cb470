import { Module } from '@nestjs/common';
import { DeploymentModule } from '@app/deployment';
import { WalletsModule } from '@app/wallets';
import { AutomationsController } from './api/automations.controller';
import { OccurrencesController } from './api/occurrences.controller';
import { WebhooksController } from './api/webhooks.controller';
import { ContractReviews } from './authority/contract-review';
import { AutomationQuota } from './automation/automation-quota';
import { AutomationRow, automationsMigrations, OccurrenceRow } from './automation/automation.row';
import { automationsProjection, occurrencesProjection } from './automation/automations.projection';
import { operationalTablesMigrations } from './automation/operational-tables.row';
import { AutomationChecks } from './firing/automation-checks';
import { DueTimes } from './firing/due-times';
import { InputRecorder } from './inputs/input-recorder';
import { inputsMigrations, InputRow, inputsProjection } from './inputs/input.row';
import { WebhookKeys } from './inputs/webhook-keys';
import { sourceSamplesMigrations } from './sources/source-samples.row';
import { SourcesModule } from './sources/sources.module';
import { AutomationReader } from './use-cases/automation-reader';
import { CreateAutomationHandler } from './use-cases/create-automation';
import { DefinitionWriter } from './use-cases/definition-writer';
import { DeleteAutomationHandler } from './use-cases/delete-automation';
import { DeliverWebhookHandler } from './use-cases/deliver-webhook';
import { GetAutomationHandler } from './use-cases/get-automation';
import { GetAutomationStatusHandler } from './use-cases/get-automation-status';
import { GetInputOutcomeHandler } from './use-cases/get-input-outcome';
import { HoldAutomationHandler } from './use-cases/hold-automation';
import { InvokeAutomationHandler } from './use-cases/invoke-automation';
import { ListAutomationsHandler } from './use-cases/list-automations';
import { ListOccurrencesHandler } from './use-cases/list-occurrences';
import { OccurrenceList } from './use-cases/occurrence-list';
import { PauseAutomationHandler } from './use-cases/pause-automation';
import { ReleaseAutomationHandler } from './use-cases/release-automation';
import { ResumeAutomationHandler } from './use-cases/resume-automation';
import { RotateWebhookKeyHandler } from './use-cases/rotate-webhook-key';
import { SearchAutomationsHandler } from './use-cases/search-automations';
import { SignalAutomationHandler } from './use-cases/signal-automation';
import { SimulateAutomationHandler } from './use-cases/simulate-automation';
import { TestConditionHandler } from './use-cases/test-condition';
import { UpdateAutomationHandler } from './use-cases/update-automation';

/** Commands and queries of the slice, one handler each. */
const handlers = [
  CreateAutomationHandler,
  DeleteAutomationHandler,
  DeliverWebhookHandler,
  GetAutomationHandler,
  GetAutomationStatusHandler,
  GetInputOutcomeHandler,
  HoldAutomationHandler,
  InvokeAutomationHandler,
  ListAutomationsHandler,
  ListOccurrencesHandler,
  PauseAutomationHandler,
  ReleaseAutomationHandler,
  ResumeAutomationHandler,
  RotateWebhookKeyHandler,
  SearchAutomationsHandler,
  SignalAutomationHandler,
  SimulateAutomationHandler,
  TestConditionHandler,
  UpdateAutomationHandler,
];

/** Rules that fire by themselves: their definitions, what they are handed, and what is known of them. */
@Module({
  imports: [DeploymentModule, SourcesModule, WalletsModule],
  controllers: [AutomationsController, OccurrencesController, WebhooksController],
  providers: [
    ...handlers,
    AutomationChecks,
    AutomationQuota,
    AutomationReader,
    ContractReviews,
    DefinitionWriter,
    DueTimes,
    InputRecorder,
    OccurrenceList,
    WebhookKeys,
  ],
  exports: [AutomationChecks, AutomationReader, DueTimes, SourcesModule],
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
