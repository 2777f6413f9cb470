import { approvalId } from '@app/approvals';
import { operation } from '@app/http';
import { receiptExample } from '../receipt.example';
import { ReceiptShape } from '../receipt.schema';

export const readReceipt = operation('approvals.receipt', {
  route: 'GET /v1/users/:userId/approvals/:approvalId/receipt',
  summary: 'The document that proves what was reviewed, decided and done',
  description:
    'Everything in it follows from `events`, the stored bytes themselves, and `proof` shows that each of them is in the log of all events, so that it is verified offline: `npm run verify-receipt -- receipt.json --key <key>`. It waits at most 2 s for a checkpoint over its events; then it answers what is proven so far, and `complete` is false.',
  parameters: { approvalId },
  answer: ReceiptShape,
  examples: { answer: receiptExample },
});
