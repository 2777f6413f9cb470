import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Timers } from '@app/timers';
import { LedgerOrders, settlementTimers } from './ledger-orders';
import { ProviderFaults } from '../faults/provider-faults';

/**
 * Settles orders at their due instant by the service clock, so that settlements are announced even if no request reads
 * them.
 */
@Injectable()
export class Settlements implements OnModuleInit {
  constructor(
    private readonly timers: Timers,
    private readonly orders: LedgerOrders,
    private readonly faults: ProviderFaults,
  ) {}

  onModuleInit(): void {
    this.timers.handle(settlementTimers, async ({ payload: { address } }) => {
      if (typeof address !== 'string') throw new Error('a timer of a settlement names no wallet');
      await this.orders.settleDue(address, { twice: (await this.faults.current()).duplicateCallbacks });
    });
  }
}
