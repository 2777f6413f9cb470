import { Module } from '@nestjs/common';
import { AutomationApprovals, AutomationConsentModule } from '@app/automations';
import { ApprovalHomes } from '@app/consent';
import { RunApprovals, RunsModule } from '@app/runs';
import { SettlementModule, WalletsModule, WithdrawalApprovals } from '@app/wallets';
import {
  ApprovalRow,
  approvalsMigrations,
  approvalsProjection,
  operationCopiesProjection,
  OperationCopyRow,
} from './approval/approvals.projection';
import { ApprovalWork } from './approval-work';
import { ApprovalsController, approvalsHandlers } from './approvals.controller';
import { ExpireApprovals } from './approval/expire-approvals';
import { OperationCopies } from './operation-copies/operation-copies';
import { SelectedApprovals } from './approval/selected-approvals';

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
  providers: [...approvalsHandlers, SelectedApprovals],
  exports: [SelectedApprovals],
})
export class ApprovalsModule {}

/** Expiry of approvals, and copies of their operations into the journal, for worker processes. */
@Module({
  imports: [ApprovalHomesModule, SettlementModule],
  providers: [ApprovalWork, ExpireApprovals, OperationCopies],
})
export class ApprovalWorkModule {}

/** The slice's tables, migrations and projections in PostgreSQL. */
export const approvalsReadModel = {
  rows: [ApprovalRow, OperationCopyRow],
  migrations: approvalsMigrations,
  projections: [approvalsProjection, operationCopiesProjection],
};
