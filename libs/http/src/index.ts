export { createHttpApp } from './app';
export { Caller, callerOf } from './caller';
export { Cursors, type CursorBinding } from './cursors';
export { closeGracefully, Draining } from './draining';
export {
  BooleanText,
  Flag,
  IntegerText,
  Items,
  Nested,
  NoBody,
  OneOf,
  Optional,
  Text,
  Uuid,
  UuidList,
  Value,
  Whole,
  type DtoClass,
} from './dto';
export { startManagementServer, type ManagementServer } from './management';
export { Operation, type OperationOptions } from './operation';
export { pageOf, type Page } from './page';
export {
  Accounts,
  PartnerKeys,
  RateWindows,
  SqlExecutor,
  type AccountState,
  type RateAnswer,
  type RateSubject,
  type Readiness,
  type ReadinessCheck,
} from './ports';
export { PostgresRateWindows } from './postgres-rate-windows';
export { answer, ProblemException, toProblem, type Failure, type Problem } from './problems';
export { rateWindowsMigration } from './rate-windows-sql';
export { ReadinessChecks } from './readiness';
export { userIdOf } from './user-identity';
export { validateInto } from './validate-into';
