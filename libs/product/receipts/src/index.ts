export { verifyReceipt, verifyReceiptText } from './receipt-verifier';
export type { ReceiptAspect, ReceiptCheckpoint, ReceiptFinding, ReceiptProblem, ReceiptReport } from './receipt-report';
export { ReceiptsModule } from './receipts.module';
export { GetReceipt } from './get-receipt';
export type { Receipt } from './receipt.schema';
export { receiptExample } from './receipt.example';
