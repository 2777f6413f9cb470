import { Module } from '@nestjs/common';
import { BudgetModule } from '@app/budget';
import { DeploymentModule } from '@app/deployment';
import { AbortRunHandler } from './abort-run';
import { ExecutionSlots } from './execution-slots';
import { GetRunHandler } from './get-run';
import { ListRunsHandler } from './list-runs';
import { RunLeases } from './run-leases';
import { RunRow, runsMigrations, runsProjection } from './runs.projection';
import { RunsController } from './runs.controller';
import { RunAdmission } from './run-admission';
import { RunApprovals } from './run-approvals';
import { RunMetrics } from './run-metrics';
import { RunQueries } from './runs.queries';
import { OrphanWatchdog, SegmentClosing } from './segment-closing';
import { StartRunHandler } from './start-run';

@Module({
  imports: [BudgetModule, DeploymentModule],
  controllers: [RunsController],
  providers: [
    AbortRunHandler,
    ExecutionSlots,
    GetRunHandler,
    ListRunsHandler,
    OrphanWatchdog,
    RunAdmission,
    RunApprovals,
    RunLeases,
    RunMetrics,
    RunQueries,
    SegmentClosing,
    StartRunHandler,
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
