export { causeOfEvent, causeOfRequest, causeOfService, type Actor, type Cause } from './cause';
export { Clock } from './clock';
export {
  add,
  compareDecimals,
  decimalOf,
  decimalText,
  floorQuotient,
  multiply,
  parseDecimal,
  roundUp,
  type Decimal,
} from './decimals';
export { accept, applyFold, notBegun, reject, unreachable, type Decider, type Decision, type Folds } from './decider';
export { beginningOnOneLine, isVisible } from './words/foreign-texts';
export { failureWords, loggedMessage } from './words/failure-words';
export { issueWords } from './words/issue-words';
export { technicalWords } from './words/technical-words';
export { heldBytes, heldByText } from './held-bytes';
export { heldConnection, noticeLostClient } from './held-connections';
export {
  asId,
  parseUuid,
  type ApprovalId,
  type ArtifactId,
  type AutomationId,
  type ConversationId,
  type EndpointId,
  type IdentityId,
  type InputId,
  type MessageId,
  type OccurrenceId,
  type OperationId,
  type PartnerKeyId,
  type ProcessId,
  type RequestId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
  type WalletId,
} from './ids';
export { epochMsOf, instantForm, instantIn, instantOf, instantRule, utcDayOf, type Instant } from './instants';
export {
  codePointLength,
  isBoundedJson,
  isJsonList,
  isJsonObject,
  isStorable,
  parsedJson,
  pointerTo,
  type JsonObject,
  type JsonValue,
} from './json';
export { isJsonPointer, pointerForm, valueAt } from './json-pointers';
export { limits } from './limits';
export {
  erased,
  isErased,
  isSealed,
  openedOr,
  openOr,
  personalPaths,
  shown,
  type Erased,
  type Mark,
  type Marks,
  type MarksOf,
  type Personal,
  type Sealed,
  type WithOpenWords,
} from './personal';
export { productVersion, specificationRevision } from './product-version';
export {
  problemKinds,
  reasons,
  withdrawalChanges,
  type ProblemKind,
  type Reason,
  type WithdrawalChange,
} from './reasons';
export {
  because,
  becauseOf,
  invalid,
  notFound,
  ok,
  refuse,
  withdrawalChanged,
  type Issue,
  type Refusal,
  type Result,
} from './refusal';
export { occurrenceTriggers, type OccurrenceTrigger } from './triggers';
export { DamagedStream, isOfDeployment, NotInEffect, TookTooLong, Unavailable } from './unavailable';
export {
  capitalized,
  instantWords,
  isSpelled,
  joined,
  operatorWords,
  quoted,
  quotedExactly,
  sentence,
  shortened,
  spelled,
  trimmed,
  uncapitalized,
  words,
  type Ours,
  type Words,
} from './words/words';
