export { createHttpApp } from './app';
export { jsonBody } from './body-parser';
export { askedBytes, type ByteRange } from './byte-ranges';
export { Caller } from './caller';
export { CallingKey } from './calling-key';
export { Cursors } from './cursors';
export { closeGracefully, Draining } from './draining';
export { Member, NoBody, QueryMember } from './dto';
export { isHeldExactly } from './exact-number';
export { checkIssuers } from './identity-providers';
export type { IssuerKeys } from './issuer-keys';
export { UnfitIssuer } from './issuer-keys';
export { startManagementServer } from './management';
export { HttpModule } from './http.module';
export { MemoryRateWindows } from './memory-rate-windows';
export { operation, type Contract, type Method, type OperationGroup, type PathParameter } from './operation';
export { Operator } from './operator';
export { operatorScopes } from './operator-scopes';
export { findContracts, Serves } from './serves';
export { documentOf, operatorDocumentOf } from './service.controller';
export { openApi30 } from './openapi-3-0';
export { ApiDescription } from './openapi-words';
export { openedSchemas, reachable } from './openapi-open';
export { parametersOf } from './openapi-parameters';
export { membersOfDto, SchemaComponents, standalone } from './openapi-components';
export { cursor, pageLimit, PageQuery } from './page-query';
export { pageOf, PageSpace, pageTextOf, type TextRow } from './page';
export {
  Accounts,
  partnerKeyForm,
  PartnerKeys,
  RateWindows,
  SqlExecutor,
  type AccountState,
  type KnownPartnerKey,
  type RateAnswer,
  type RateSubject,
  type Readiness,
} from './ports';
export { PostgresRateWindows } from './postgres-rate-windows';
export { answer, ProblemException } from './problems';
export { sendAskedBytes } from './send-asked-bytes';
export { rateWeightsMigration } from './rate-weights-sql';
export { tooLarge } from './streamed-body';
export { rateWindowsMigration } from './rate-windows-sql';
export { ReadinessChecks } from './readiness';
export { userIdOf } from './user-identity';
export { validateInto } from './validate-into';
export { startWaitingServer, type Waiting } from './waiting-server';
export { serviceGroup } from './service.contract';
