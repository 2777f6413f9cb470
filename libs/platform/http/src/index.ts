export { createHttpApp } from './app';
export { derivedIdOf } from './access/derived-id';
export { jsonBody } from './body/body-parser';
export { askedBytes, type ByteRange } from './body/byte-ranges';
export { Caller, CallerIdentity, CallingKey, Operator } from './request/caller';
export { Cursors } from './operation/cursors';
export { closeGracefully, Draining } from './draining';
export { Member, NoBody, QueryMember } from './operation/dto';
export { isHeldExactly } from './body/exact-number';
export { checkIssuers } from './access/identity-providers';
export type { IssuerKeys } from './access/issuer-keys';
export { UnfitIssuer } from './access/issuer-keys';
export { startManagementServer } from './management';
export { HttpModule } from './http.module';
export { MemoryRateWindows } from './rate-limits/memory-rate-windows';
export { operation, type Contract, type Method, type OperationGroup, type PathParameter } from './operation/operation';
export { operatorScopes } from './operation/operator-scopes';
export { findContracts, Serves } from './operation/serves';
export { documentOf, operatorDocumentOf } from './service.controller';
export { openApi30 } from './openapi/openapi-3-0';
export { ApiDescription } from './openapi/openapi-words';
export { openedSchemas, reachable } from './openapi/openapi-open';
export { parametersOf } from './openapi/openapi-parameters';
export { membersOfDto, SchemaComponents, standalone } from './openapi/openapi-components';
export { cursor, pageLimit, PageQuery } from './operation/page-query';
export { pageOf, PageSpace, pageTextOf, type TextRow } from './operation/page';
export {
  Accounts,
  partnerKeyForm,
  PartnerKeys,
  RateWindows,
  SqlExecutor,
  type AccountState,
  type Identity,
  type IdentityAccount,
  type KnownIdentity,
  type KnownPartnerKey,
  type RateAnswer,
  type RateSubject,
  type Readiness,
} from './ports';
export { PostgresRateWindows } from './rate-limits/postgres-rate-windows';
export { answer, ProblemException } from './problems/problems';
export { sendAskedBytes } from './body/send-asked-bytes';
export { rateWeightsMigration } from './rate-limits/rate-weights-sql';
export { tooLarge } from './body/streamed-body';
export { rateWindowsMigration } from './rate-limits/rate-windows-sql';
export { ReadinessChecks } from './readiness';
export { validateInto } from './operation/validate-into';
export { startWaitingServer, type Waiting } from './waiting-server';
export { serviceGroup } from './service.contract';
