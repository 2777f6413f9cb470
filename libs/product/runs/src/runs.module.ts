import { Module } from '@nestjs/common';
import { BudgetModule } from '@app/budget';
import { DeploymentModule } from '@app/deployment';
import { executionSlotsMigrations } from './slots/execution-slots.row';
import { ExecutionSlots } from './slots/execution-slots';
import { GoneSegments } from './segments/gone-segments';
import { LocalExecution } from './slots/local-execution';
import { RunLeases } from './slots/run-leases';
import { RunRow, runsMigrations, runsProjection } from './runs.projection';
import { RunsController, runsHandlers } from './runs.controller';
import { ReleaseRunHandler } from './release-run';
import { RunAdmission } from './run-admission';
import { RunApprovals } from './run-approvals';
import { RunMetrics } from './run-metrics';
import { RunQueries } from './runs.queries';
import { SegmentClosing } from './segments/segment-closing';
import { SegmentStart } from './segments/segment-start';
import { SegmentWatchdog } from './segments/segment-watchdog';

/** Providers that other slices use. */
const offered = [
  ExecutionSlots,
  LocalExecution,
  RunAdmission,
  RunApprovals,
  RunLeases,
  RunMetrics,
  SegmentClosing,
  SegmentWatchdog,
];

@Module({
  imports: [BudgetModule, DeploymentModule],
  controllers: [RunsController],
  providers: [...runsHandlers, ...offered, GoneSegments, ReleaseRunHandler, RunQueries, SegmentStart],
  exports: offered,
})
export class RunsModule {}

/** The slice's tables, migrations and projections in PostgreSQL. */
export const runsReadModel = {
  rows: [RunRow],
  migrations: [...runsMigrations, ...executionSlotsMigrations],
  projections: [runsProjection],
};
