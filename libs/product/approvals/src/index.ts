export { verifyReceipt } from './receipt-verifier';
export { ApprovalsModule, approvalsReadModel, ApprovalWorkModule } from './approvals.module';
export { approvalsGroup } from './approvals.contract';
