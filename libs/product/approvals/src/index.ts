export { verifyReceipt } from './receipt-verifier';
export type { ReceiptAspect, ReceiptCheckpoint, ReceiptFinding, ReceiptProblem, ReceiptReport } from './receipt-report';
export { ApprovalsModule, approvalsReadModel, ApprovalWorkModule } from './approvals.module';
export { approvalsGroup } from './approvals.contract';
export { operationCopy } from './operation-copy';
