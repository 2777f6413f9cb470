import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Timers } from '@app/timers';
import { LedgerOrders, settlementTimers } from './ledger-orders';
import { ProviderFaults } from './provider-faults';

/** Settles orders at their own instant by the service clock, so that a settlement is told also when nobody asks. */
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
