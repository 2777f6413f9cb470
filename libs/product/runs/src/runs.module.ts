import { Module } from '@nestjs/common';
import { BudgetModule } from '@app/budget';
import { DeploymentModule } from '@app/deployment';
import { ExecutionSlots } from './execution-slots';
import { RunLeases } from './run-leases';
import { RunRow, runsMigrations, runsProjection } from './runs.projection';
import { RunsController, runsHandlers } from './runs.controller';
import { RunAdmission } from './run-admission';
import { RunApprovals } from './run-approvals';
import { RunMetrics } from './run-metrics';
import { RunQueries } from './runs.queries';
import { OrphanWatchdog, SegmentClosing } from './segment-closing';

@Module({
  imports: [BudgetModule, DeploymentModule],
  controllers: [RunsController],
  providers: [
    ...runsHandlers,
    ExecutionSlots,
    OrphanWatchdog,
    RunAdmission,
    RunApprovals,
    RunLeases,
    RunMetrics,
    RunQueries,
    SegmentClosing,
  ],
  exports: [ExecutionSlots, OrphanWatchdog, RunAdmission, RunApprovals, RunLeases, SegmentClosing],
})
export class RunsModule {}

/** What the slice keeps in PostgreSQL. */
export const runsReadModel = {
  rows: [RunRow],
  migrations: runsMigrations,
  projections: [runsProjection],
};
