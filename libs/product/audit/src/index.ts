export { AuditModule, AuditServingModule, AuditWorkModule } from './audit.module';
export { EventProofs, type LogProofs } from './served/log-proofs';
export { SignedStatements } from './served/signed-statements';
export { ServedLog } from './served/served-log';
export { transparencyGroup } from './served/transparency.contract';
export { logMigrations, LogTables } from './log/log-tables';
export {
  beginningStatement,
  holdingStatements,
  LogIdentity,
  logIdentityMigrations,
  takingStatements,
} from './log/log-identity';
export { holdReasons, howToResume, type LogHold } from './log/log-hold';
export { PlanResumption } from './resumption/plan-resumption';
export { SealedCopyLog } from './resumption/sealed-copy-log';
export { HoldLog, ResumeLog } from './resumption/resume-log';
export { resumedAs } from './checkpoints/checkpoints.events';
export { originIn } from './stores/log-origin';
export { compareStores, OtherStore, StoresIdentity, type StoresCompared } from './stores/stores-identity';
export { forgetLogSeed, keepLogSeed, logSeedMigrations, logSeedTable, possibleLogKeys } from './signing/log-keys';
export { checkpointsStream, type StoredBytes } from './log/covered-events';
export { CheckpointEvents, type BeforeSealing } from './verification/checkpoint-events';
export type { Claim } from './verification/claims';
export { keptInFiles, keptInTables, type KeptLog, type LogFiles } from './verification/kept-log';
export { hiddenCheckpoints, hiddenFromStreams } from './verification/hidden-from-streams';
export type { HiddenEvents } from './verification/hidden-from-streams';
export { leafOfBytes, leafOfEvent } from './verification/leaf';
export { lastLine, type Findings, type Problem } from './verification/report';
export { verifyLog } from './verification/verify-log';
export { askWitness } from './witnesses/witness-memory';
export { CannotExport, exportLog, type WritableLogFiles } from './export-log';
export { CheckpointList } from './log/checkpoint-list';
export { checkpointsKind } from './checkpoints/checkpoints.stream';
export { StreamProofs } from './served/stream-proofs';
