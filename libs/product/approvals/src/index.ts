export { ApprovalsModule, ApprovalWorkModule } from './approvals.module';
export { approvalId, approvalsGroup } from './approvals.contract';
export { Approval, fingerprintShape, type ApprovalView } from './approval/approval.schema';
export {
  holderKinds,
  isApprovalChange,
  viewAfter,
  viewOfOpening,
  type ApprovalHolderEvent,
} from './approval/approval.view';
export { SelectedApprovals, type SelectedApproval } from './approval/approval.queries';
export { pendingExample } from './approval/approval.example';
export { operationEventsMax, operationCopy } from './operation-copies';
export { approvalsReadModel } from './approval/approvals.projection';
