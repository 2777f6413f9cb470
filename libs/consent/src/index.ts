export {
  decideApproval,
  endedApproval,
  evolveApproval,
  expireApproval,
  openedApproval,
  type ApprovalState,
  type ApprovalVerdict,
  type DecideApproval,
  type ExpireApproval,
} from './approval.decider';
export {
  approvalPrivateMembers,
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
  SwapAction,
  TokenChoice,
  WithdrawAction,
} from './contract';
export { reviewedDocument, type Review } from './review';
