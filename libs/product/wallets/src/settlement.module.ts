import { Module } from '@nestjs/common';
import { OperationDriver } from './settlement/operation-driver';
import { OperationPortsFactory } from './settlement/operation-ports-factory';
import { OperationWatchdog } from './settlement/operation-watchdog';
import { WalletsModule } from './wallets.module';

/** Drives financial operations to their end, in workers. */
@Module({
  imports: [WalletsModule],
  providers: [OperationDriver, OperationWatchdog, OperationPortsFactory],
  exports: [OperationDriver],
})
export class SettlementModule {}
