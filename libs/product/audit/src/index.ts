export { AuditModule, AuditWorkModule } from './audit.module';
export { EventProofs, type Inclusion, type LogProofs } from './log-proofs';
export { logMigrations } from './log-tables';
