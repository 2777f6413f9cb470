import { Module } from '@nestjs/common';
import { AuditFigures } from './audit-figures';
import { AuditWork, LogReadiness } from './audit-work';
import { Checkpoints } from './signing/checkpoints';
import { LogKeys } from './signing/log-keys';
import { LogBuilder } from './log/log-builder';
import { EventProofs } from './served/log-proofs';
import { LogIdentity } from './log/log-identity';
import { LogTables } from './log/log-tables';
import { CheckpointList } from './log/checkpoint-list';
import { StoresIdentity } from './stores/stores-identity';
import { StreamProofs } from './served/stream-proofs';
import { PlanResumptionHandler } from './resumption/plan-resumption';
import { resumeLogHandlers } from './resumption/resume-log';
import { SignedStatements } from './served/signed-statements';
import { ServedLog } from './served/served-log';
import { TransparencyController, transparencyHandlers } from './served/transparency.controller';
import { WitnessedHistory } from './witnesses/witnessed-history';
import { Witnesses } from './witnesses/witnesses';

/** The log of all events, for modules that serve it or prove something with it. */
@Module({
  providers: [
    AuditFigures,
    Checkpoints,
    EventProofs,
    LogIdentity,
    LogKeys,
    LogReadiness,
    LogTables,
    SignedStatements,
    StoresIdentity,
    ...resumeLogHandlers,
  ],
  exports: [Checkpoints, EventProofs, LogIdentity, LogKeys, LogTables, SignedStatements, StoresIdentity],
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
