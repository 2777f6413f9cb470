export { ApprovalsModule, approvalsReadModel, ApprovalWorkModule } from './approvals.module';
export { approvalId, approvalsGroup } from './approvals.contract';
export { Approval, fingerprintShape, type ApprovalView } from './approval/approval.schema';
export {
  holderKinds,
  isApprovalChange,
  viewAfter,
  viewOfOpening,
  type ApprovalHolderEvent,
} from './approval/approval.view';
export { SelectedApprovals, type SelectedApproval } from './approval/selected-approvals';
export { pendingExample } from './approval/approval.example';
export { operationEventsMax } from './operation-copies/operation-copies';
export { operationCopy } from './operation-copies/operation-copy';
