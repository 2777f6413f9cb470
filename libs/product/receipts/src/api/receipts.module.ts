import { Module } from '@nestjs/common';
import { ApprovalsModule } from '@app/approvals';
import { AuditModule } from '@app/audit';
import { CallAuthorities } from '../call-authorities';
import { ReceiptEvents } from '../receipt-events';
import { ReceiptsController, receiptsHandlers } from './receipts.controller';
import { RevealedWords } from '../revealed-words';

/** The API of receipts. */
@Module({
  imports: [ApprovalsModule, AuditModule],
  controllers: [ReceiptsController],
  providers: [...receiptsHandlers, CallAuthorities, ReceiptEvents, RevealedWords],
})
export class ReceiptsModule {}
