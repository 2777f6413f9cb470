export {
  byRichness,
  integerOf,
  type PricedAmount,
  scaledAmount,
  unscaledAmount,
  valueUsdCents,
  valueUsdOf,
} from './amounts';
export { ApprovalHomes, type ApprovalHome, type HeldApproval } from './approval-home';
export { approvalTimer, approvalTimerId, approvalTimers } from './approval-timer';
export {
  decideApproval,
  endApproval,
  evolveApproval,
  expireApproval,
  openedApproval,
  type ApprovalState,
  type ApprovalVerdict,
  type DecideApproval,
  type ExpireApproval,
} from './approval.decider';
export {
  approvalDeciders,
  approvalEvents,
  approvalMembers,
  approvalStatuses,
  exampleIds,
  type ApprovalDecider,
  type ApprovalEnd,
  type ApprovalEvent,
  type ApprovalKind,
  type ApprovalStatus,
} from './approval.events';
export type {
  Contract,
  ContractAction,
  ContractBounds,
  PinnedToken,
  Quantity,
  TokenChoice,
  WithdrawAction,
} from './contract';
export { usesPerOccurrenceDefault, usesPerOccurrenceOf } from './contract';
export { contractForms, contractLimits, isPinnable } from './contract-grammar';
export { contractTerms, contractWords, firstOf, fitting, renderContract } from './contract-words';
export { chooseInput, chooseOutput, type NoInput } from './quantities';
export { fingerprintVersion, type FingerprintVersion } from './fingerprint-version';
export { reviewedDocument, type Review } from './review';
export { summaryLengthMax, summaryOf, taskSentence, termNames, termsOf, type ConsentWords, type Term } from './terms';
export { approvalUpcasters } from './approval.upcasters';
