import { Module } from '@nestjs/common';
import { WalletsModule } from '@app/wallets';
import { AutomationApprovals } from './automation-approvals';
import { ContractAuthority } from './contract-authority';
import { ContractUses } from './contract-uses';

/** What users allow their automations: decisions on contracts, and the authority that follows from approved ones. */
@Module({
  imports: [WalletsModule],
  providers: [AutomationApprovals, ContractAuthority, ContractUses],
  exports: [AutomationApprovals, ContractAuthority, ContractUses],
})
export class AutomationConsentModule {}
