import { Module } from '@nestjs/common';
import { AuditFigures } from './audit-figures';
import { AuditWork } from './audit-work';
import { Checkpoints } from './checkpoints';
import { LogBuilder } from './log-builder';
import { EventProofs } from './log-proofs';
import { LogIdentity } from './log-identity';
import { LogReadiness } from './log-readiness';
import { LogTables } from './log-tables';
import { CheckpointList } from './checkpoint-list';
import { StoresIdentity } from './stores-identity';
import { StreamProofs } from './stream-proofs';
import { PlanResumptionHandler } from './plan-resumption';
import { resumeLogHandlers } from './resume-log';
import { ServedLog } from './served-log';
import { TransparencyController, transparencyHandlers } from './transparency.controller';
import { WitnessedHistory } from './witnessed-history';
import { Witnesses } from './witnesses';

/** The log of all events, for modules that serve it or prove something with it. */
@Module({
  providers: [
    AuditFigures,
    Checkpoints,
    EventProofs,
    LogIdentity,
    LogReadiness,
    LogTables,
    StoresIdentity,
    ...resumeLogHandlers,
  ],
  exports: [Checkpoints, EventProofs, LogIdentity, LogTables, StoresIdentity],
})
export class AuditModule {}

/** Serves the log, in api processes. */
@Module({
  imports: [AuditModule],
  controllers: [TransparencyController],
  providers: [CheckpointList, ServedLog, StreamProofs, PlanResumptionHandler, ...transparencyHandlers],
  exports: [CheckpointList, ServedLog, StreamProofs],
})
export class AuditServingModule {}

/** Builds the log and offers its checkpoints to the witnesses, in workers. */
@Module({ imports: [AuditModule], providers: [AuditWork, LogBuilder, WitnessedHistory, Witnesses] })
export class AuditWorkModule {}
