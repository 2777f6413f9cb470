import { Module } from '@nestjs/common';
import { OperationDriver } from './operation-driver';
import { OperationWorlds } from './operation-worlds';
import { OperationWatchdog } from './operation-watchdog';
import { WalletsModule } from './wallets.module';

/** Drives financial operations to their end, in workers. */
@Module({
  imports: [WalletsModule],
  providers: [OperationDriver, OperationWatchdog, OperationWorlds],
  exports: [OperationDriver],
})
export class SettlementModule {}
