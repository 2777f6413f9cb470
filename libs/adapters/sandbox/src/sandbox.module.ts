import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { Database, Notifications, Processes, type OnOpen } from '@app/read-store';
import { ModelFaults } from '@app/rules-model';
import { ClockMoves } from './clock/clock-moves';
import { Issuer } from './issuer/issuer';
import { IssuerController } from './issuer/issuer.controller';
import { LedgerOrders, Settlements } from './ledger/ledger-orders';
import { LedgerWallets } from './ledger/ledger-wallets';
import { Market } from './prices/market';
import { MoneyController } from './money/money.controller';
import { ProviderFaults } from './faults/provider-faults';
import { SandboxClock } from './clock/sandbox-clock';
import { SandboxController } from './sandbox.controller';
import { SandboxFaults } from './faults/sandbox-faults';

/** Started before it is injected anywhere, so that nothing in the sandbox ever happens at real time while the clock is moved. */
function runningClock(onOpen: OnOpen) {
  return {
    provide: Clock,
    useFactory: async (database: Database, notifications: Notifications, processes: Processes): Promise<Clock> => {
      const sandboxClock = new SandboxClock(database, notifications, processes);
      onOpen(async () => sandboxClock.onModuleDestroy());
      await sandboxClock.start();
      return sandboxClock;
    },
    inject: [Database, Notifications, Processes],
  };
}
/** The parts that the wallet provider needs. The provider itself needs the wallets' keys, and is bound where those are. */
const ledger = [Market, ProviderFaults, LedgerWallets, LedgerOrders];
const faults = { provide: ModelFaults, useExisting: SandboxFaults };

/**
 * Providers that sandbox mode adds: the clock and the faults in every process, and the calls and the issuer where HTTP
 * is served. In any other mode it is not composed at all, so its paths are unknown.
 */
@Global()
@Module({})
export class SandboxModule {
  /** @param onOpen receives a function that closes the clock if the process cannot be composed */
  static register({
    api,
    onOpen = () => undefined,
  }: {
    readonly api: boolean;
    readonly onOpen?: OnOpen | undefined;
  }): DynamicModule {
    const clock = runningClock(onOpen);
    return {
      module: SandboxModule,
      controllers: api ? [SandboxController, MoneyController, IssuerController] : [],
      providers: [clock, SandboxFaults, faults, ...ledger, Settlements, ...(api ? [Issuer, ClockMoves] : [])],
      exports: [clock, faults, ...ledger, ...(api ? [Issuer] : [])],
    };
  }
}
