import { Controller, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { ApprovalId } from '@app/kernel';
import { GetReceipt, GetReceiptHandler } from '../get-receipt';
import type { Receipt } from '../receipt.schema';
import { readReceipt } from './receipts.contract';

/** Receipts of approvals (docs/decisions/approvals.md, "Receipt"). */
@Controller()
export class ReceiptsController {
  constructor(private readonly queries: QueryBus) {}

  /** The document that proves the review, the decision and their effects; `verifyReceipt` checks it offline. */
  @Serves(readReceipt)
  async receipt(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<Receipt> {
    return answer(await this.queries.execute(new GetReceipt(userId, approvalId)));
  }
}

/** The handlers of the queries that it executes. */
export const receiptsHandlers = [GetReceiptHandler];
