import { Module } from '@nestjs/common';
import { AutomationApprovals, AutomationConsentModule } from '@app/automations';
import { ApprovalHomes } from '@app/consent';
import { RunApprovals, RunsModule } from '@app/runs';
import { SettlementModule, WalletsModule, WithdrawalApprovals } from '@app/wallets';
import { ApprovalWork } from './approval-work';
import { ApprovalsController } from './approvals.controller';
import { DecideApprovalHandler } from './approval/decide-approval';
import { ExpireApprovals } from './approval/expire-approvals';
import { OperationCopies } from './operation-copies';
import { approvalQueries, SelectedApprovals } from './approval/approval.queries';

/** The streams in which approvals live; a further kind of stream is added here. */
@Module({
  imports: [AutomationConsentModule, RunsModule, WalletsModule],
  providers: [
    {
      provide: ApprovalHomes,
      useFactory: (...homes: [RunApprovals, WithdrawalApprovals, AutomationApprovals]) => new ApprovalHomes(homes),
      inject: [RunApprovals, WithdrawalApprovals, AutomationApprovals],
    },
  ],
  exports: [ApprovalHomes],
})
class ApprovalHomesModule {}

/** The API of approvals and decisions. */
@Module({
  imports: [ApprovalHomesModule],
  controllers: [ApprovalsController],
  providers: [...approvalQueries, DecideApprovalHandler, SelectedApprovals],
  exports: [SelectedApprovals],
})
export class ApprovalsModule {}

/** Expiry of approvals, and copies of their operations into the journal, for worker processes. */
@Module({
  imports: [ApprovalHomesModule, SettlementModule],
  providers: [ApprovalWork, ExpireApprovals, OperationCopies],
})
export class ApprovalWorkModule {}
