import { Module } from '@nestjs/common';
import { WalletsModule } from '@app/wallets';
import { AutomationApprovals } from './automation-approvals';
import { ContractAuthority } from './contract-authority';
import { ContractUses } from './contract-uses';

/** Users' decisions on the contracts of automations, and the authority that approved contracts give. */
@Module({
  imports: [WalletsModule],
  providers: [AutomationApprovals, ContractAuthority, ContractUses],
  exports: [AutomationApprovals, ContractAuthority, ContractUses],
})
export class AutomationConsentModule {}
