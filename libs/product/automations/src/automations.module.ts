import { Module } from '@nestjs/common';
import { BudgetModule } from '@app/budget';
import { DeploymentModule } from '@app/deployment';
import { QuotasModule } from '@app/quotas';
import { RunsModule } from '@app/runs';
import { WalletsModule } from '@app/wallets';
import { AskSource } from './sources/ask-source';
import { Sampler } from './sources/sampler';
import { Samples } from './sources/samples';
import { SourceSamples } from './sources/source-samples';
import { AutomationApprovals } from './authority/automation-approvals';
import { ContractAuthority, ContractUses } from './authority/contract-authority';
import { AutomationsController } from './api/automations.controller';
import { OccurrencesController } from './api/occurrences.controller';
import { WebhooksController } from './api/webhooks.controller';
import { ContractReviews } from './authority/contract-review';
import { AutomationQuota } from './automation/automation-quota';
import { AutomationRow, automationsMigrations, OccurrenceRow } from './automation/read-model/automation.row';
import { automationsProjection, occurrencesProjection } from './automation/read-model/automations.projection';
import { OccurrenceFigures, OccurrenceList } from './automation/read-model/occurrence.queries';
import { operationalTablesMigrations } from './automation/read-model/operational-tables.row';
import { AutomationChecks } from './status/automation-checks';
import { DueTimes, MissingTimers } from './firing/due-times';
import { InputRecorder } from './inputs/input-recorder';
import { InputRow, inputsMigrations, inputsProjection } from './inputs/input.row';
import { WebhookKeys } from './inputs/webhook-keys';
import { sourceSamplesMigrations } from './sources/source-samples.row';
import { AutomationReader } from './automation/automation-reader';
import { lifeHandlers } from './use-cases/automation-life';
import { definitionHandlers, DefinitionWriter } from './use-cases/define-automation';
import { ExplainAutomationHandler, FiringSwitches } from './use-cases/explain-automation';
import { GetAutomationStatusHandler } from './use-cases/get-automation-status';
import { inputHandlers } from './use-cases/give-input';
import { holdHandlers } from './use-cases/hold-automation';
import { automationQueries } from './use-cases/read-automations';
import { SearchAutomationsHandler } from './use-cases/search-automations';
import { occurrenceQueries } from './use-cases/read-occurrences';
import { RotateWebhookKeyHandler } from './use-cases/rotate-webhook-key';
import { simulationHandlers } from './use-cases/simulate-automation';
import { AutomationStreams } from './firing/automation-streams';
import { AutomationWork } from './firing/automation-work';
import { ContractUseReturns } from './firing/contract-use-returns';
import { FiringProcess, FiringReactor } from './firing/firing-process';
import { LiveFiring, RuleEvaluations } from './firing/live-firing';
import { OccurrenceAdmission } from './firing/occurrence-admission';

/** The sources that rules read, sampled and retained. */
@Module({
  imports: [WalletsModule],
  providers: [AskSource, Sampler, Samples, SourceSamples],
  exports: [Sampler, Samples],
})
export class SourcesModule {}

/** Users' decisions on the contracts of automations, and the authority that approved contracts give. */
@Module({
  imports: [WalletsModule],
  providers: [AutomationApprovals, ContractAuthority, ContractUses],
  exports: [AutomationApprovals, ContractAuthority, ContractUses],
})
export class AutomationConsentModule {}

/** Rules that fire by themselves: their definitions, their inputs, and reports about them. */
@Module({
  imports: [BudgetModule, DeploymentModule, QuotasModule, SourcesModule, WalletsModule],
  controllers: [AutomationsController, OccurrencesController, WebhooksController],
  providers: [
    ...automationQueries,
    ...definitionHandlers,
    ...holdHandlers,
    ...inputHandlers,
    ...lifeHandlers,
    ...occurrenceQueries,
    ...simulationHandlers,
    AutomationChecks,
    AutomationQuota,
    AutomationReader,
    ContractReviews,
    DefinitionWriter,
    DueTimes,
    ExplainAutomationHandler,
    FiringSwitches,
    GetAutomationStatusHandler,
    InputRecorder,
    OccurrenceFigures,
    OccurrenceList,
    RotateWebhookKeyHandler,
    SearchAutomationsHandler,
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

/** Fires automations, in workers. Needs AutomationOwners, which the composition binds globally. */
@Module({
  imports: [AutomationConsentModule, AutomationsModule, DeploymentModule, QuotasModule, RunsModule],
  providers: [
    AutomationStreams,
    AutomationWork,
    ContractUseReturns,
    FiringProcess,
    FiringReactor,
    LiveFiring,
    MissingTimers,
    OccurrenceAdmission,
    RuleEvaluations,
  ],
})
export class AutomationWorkModule {}
