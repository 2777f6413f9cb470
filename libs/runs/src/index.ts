export { ExecutionSlots } from './execution-slots';
export { RunAdmission } from './run-admission';
export { runKeyOf } from './run-binding';
export { leaseRenewMs, RunLeases, stopChannel, workChannel, type ClaimableRun } from './run-leases';
export { EngineOffer, resolveProfile } from './run-profile';
export { Run } from './run.schema';
export { ProfileDto } from './runs.dto';
export { RunsModule, runsReadModel } from './runs.module';
export { OrphanWatchdog, SegmentClosing } from './segment-closing';
