export { ExecutionSlots } from './execution-slots';
export { leaseRenewMs, RunLeases, stopChannel, workChannel, type ClaimableRun } from './run-leases';
export { EngineOffer } from './run-profile';
export { RunsModule, runsReadModel } from './runs.module';
export { OrphanWatchdog, SegmentClosing } from './segment-closing';
