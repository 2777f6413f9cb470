import { Module } from '@nestjs/common';
import { BudgetModule } from '@app/budget';
import { DeploymentModule } from '@app/deployment';
import { executionSlotsMigrations } from './slots/execution-slots.row';
import { ExecutionSlots } from './slots/execution-slots';
import { GoneSegments } from './segments/gone-segments';
import { LocalExecution } from './slots/local-execution';
import { ReleaseRunHandler, RunLeases } from './slots/run-leases';
import { RunRow, runsMigrations, runsProjection } from './runs.projection';
import { AbortRunHandler } from './abort-run';
import { RunsController } from './runs.controller';
import { QueuedRuns } from './queue/queued-runs';
import { QueueInputs } from './queue/queue-inputs';
import { StartNext } from './queue/start-next';
import { RunAdmission } from './run-admission';
import { RunApprovals } from './run-approvals';
import { RunMetrics } from './run-metrics';
import { RunQueries, runQueries } from './runs.queries';
import { StartRunHandler } from './start-run';
import { SegmentClosing } from './segments/segment-closing';
import { SegmentStart } from './segments/segment-start';
import { SegmentWatchdog } from './segments/segment-watchdog';

/** Providers that other slices use. */
const offered = [
  ExecutionSlots,
  LocalExecution,
  QueuedRuns,
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
  providers: [
    ...runQueries,
    ...offered,
    AbortRunHandler,
    GoneSegments,
    QueueInputs,
    ReleaseRunHandler,
    RunQueries,
    SegmentStart,
    StartNext,
    StartRunHandler,
  ],
  exports: offered,
})
export class RunsModule {}

/** The slice's tables, migrations and projections in PostgreSQL. */
export const runsReadModel = {
  rows: [RunRow],
  migrations: [...runsMigrations, ...executionSlotsMigrations],
  projections: [runsProjection],
};
