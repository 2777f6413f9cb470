import { Module } from '@nestjs/common';
import { DeploymentModule } from '@app/deployment';
import { QuotasModule } from '@app/quotas';
import { RunsModule } from '@app/runs';
import { AutomationsModule } from './automations.module';
import { AutomationConsentModule } from './authority/automation-consent.module';
import { AutomationStreams } from './firing/automation-streams';
import { AutomationWork } from './firing/automation-work';
import { ContractUseReturns } from './firing/contract-use-returns';
import { FiringProcess } from './firing/firing-process';
import { FiringReactor } from './firing/firing-reactor';
import { LiveFiring } from './firing/live-firing';
import { MissingTimers } from './firing/missing-timers';
import { OccurrenceAdmission } from './firing/occurrence-admission';
import { RuleEvaluations } from './firing/rule-evaluations';

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
