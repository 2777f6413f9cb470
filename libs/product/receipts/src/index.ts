export { verifyReceipt, verifyReceiptText } from './receipt-verifier';
export type { ErasedMembers, ReceiptAspect, ReceiptCheckpoint, ReceiptDemands } from './receipt-report';
export type { ReceiptFinding, ReceiptProblem, ReceiptReport } from './receipt-report';
export { ReceiptsModule } from './api/receipts.module';
export { GetReceipt } from './get-receipt';
export type { Receipt } from './receipt.schema';
export { receiptExample } from './receipt.example';
