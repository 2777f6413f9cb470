import { Module } from '@nestjs/common';
import { AutomationConsentModule } from '@app/automations';
import { RunsModule } from '@app/runs';
import { SettlementModule, WalletsModule } from '@app/wallets';
import { ApprovalRow, approvalsMigrations, OperationCopyRow } from './approval.row';
import { ApprovalWork } from './approval-work';
import { ApprovalsController } from './approvals.controller';
import { approvalsProjection, operationCopiesProjection } from './approvals.projection';
import { ApprovalQueries } from './approvals.queries';
import { DecideApproval } from './decide-approval';
import { ExpireApprovals } from './expire-approvals';
import { OperationCopies } from './operation-copies';
import { Receipts } from './receipts';

/** What users are asked for, and what they decided. */
@Module({
  imports: [AutomationConsentModule, RunsModule, WalletsModule],
  controllers: [ApprovalsController],
  providers: [ApprovalQueries, DecideApproval, Receipts],
})
export class ApprovalsModule {}

/** Expiry of approvals, and copies of their operations into the journal, for worker processes. */
@Module({
  imports: [AutomationConsentModule, SettlementModule, WalletsModule],
  providers: [ApprovalWork, ExpireApprovals, OperationCopies],
})
export class ApprovalWorkModule {}

/** What the slice keeps in PostgreSQL. */
export const approvalsReadModel = {
  rows: [ApprovalRow, OperationCopyRow],
  migrations: approvalsMigrations,
  projections: [approvalsProjection, operationCopiesProjection],
};
