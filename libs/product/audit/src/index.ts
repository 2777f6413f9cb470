export { AuditModule, AuditServingModule, AuditWorkModule } from './audit.module';
export { EventProofs, type Inclusion, type LogProofs } from './log-proofs';
export { logMigrations } from './log-tables';
export { ServedLog } from './served-log';
export { transparencyGroup } from './transparency.contract';
