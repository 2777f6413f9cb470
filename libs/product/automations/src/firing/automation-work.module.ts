import { Module } from '@nestjs/common';
import { DeploymentModule } from '@app/deployment';
import { RunsModule } from '@app/runs';
import { AutomationsModule } from '../automations.module';
import { AutomationWork } from './automation-work';
import { ContractUseReturns } from './contract-use-returns';
import { FiringProcess } from './firing-process';
import { FiringReactor } from './firing-reactor';
import { MissingTimers } from './missing-timers';
import { OccurrenceAdmission } from './occurrence-admission';

/** Fires automations, in workers. Needs AutomationOwners, which the composition binds globally. */
@Module({
  imports: [AutomationsModule, DeploymentModule, RunsModule],
  providers: [AutomationWork, ContractUseReturns, FiringProcess, FiringReactor, MissingTimers, OccurrenceAdmission],
})
export class AutomationWorkModule {}
