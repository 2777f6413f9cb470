import { Module } from '@nestjs/common';
import { DeploymentModule } from '@app/deployment';
import { RunsModule } from '@app/runs';
import { AutomationsModule } from '../automations.module';
import { AutomationConsentModule } from '../authority/automation-consent.module';
import { AutomationStreams } from './automation-streams';
import { AutomationWork } from './automation-work';
import { ContractUseReturns } from './contract-use-returns';
import { FiringProcess } from './firing-process';
import { FiringReactor } from './firing-reactor';
import { LiveFiring } from './live-firing';
import { MissingTimers } from './missing-timers';
import { OccurrenceAdmission } from './occurrence-admission';
import { RuleEvaluations } from './rule-evaluations';

/** Fires automations, in workers. Needs AutomationOwners, which the composition binds globally. */
@Module({
  imports: [AutomationConsentModule, AutomationsModule, DeploymentModule, RunsModule],
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
