export { verifyReceipt, verifyReceiptText } from './receipts/receipt-verifier';
export type {
  ReceiptAspect,
  ReceiptCheckpoint,
  ReceiptFinding,
  ReceiptProblem,
  ReceiptReport,
} from './receipts/receipt-report';
export { ApprovalsModule, approvalsReadModel, ApprovalWorkModule } from './approvals.module';
export { approvalsGroup } from './approvals.contract';
export type { ApprovalView } from './approval/approval.schema';
export { GetReceipt } from './receipts/get-receipt';
export { type Receipt } from './receipts/receipt.schema';
export { receiptExample } from './receipts/receipt.example';
export { pendingExample } from './approval/approval.example';
export { operationCopy } from './receipts/operation-copy';
