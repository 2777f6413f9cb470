import { type DynamicModule, Module, Global } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventStoreModule } from '@app/event-store';
import { ApiDescription, MemoryRateWindows, PostgresRateWindows, RateWindows, SqlExecutor } from '@app/http';
import { Clock } from '@app/kernel';
import { Database, ReadStoreModule, type OnOpen, type ProcessRoles } from '@app/read-store';
import { ModelFaults, NoFaults, RulesModel } from '@app/rules-model';
import { Metrics, openTracing, Probe, SystemClock, Tracing } from '@app/runtime';
import { Configuration } from '@app/settings';
import { SandboxModule, PinnedPrices, SandboxLedger } from '@app/sandbox';
import { TimersModule } from '@app/timers';
import { partnerApi } from './partner-api';
import { ProcessGauges } from './process-gauges';
import { Projecting } from './projecting';
import { StoresReadiness } from './readiness';
import { SealingCheck } from './sealing-check';
import { StoresCheck } from './stores-check';
import { readStore, slicesFor } from './slices';
import { StreamAccessNotice, StreamWatching } from './stream-watching';
import { LocalModels } from '@app/engine';
import { Sampler, SourcesModule } from '@app/automations';
import { NearIntentsModule } from '@app/near-intents';
import { measured, WalletKeysModule, WalletProvider } from '@app/wallets';

interface ProcessOptions {
  readonly configuration: Configuration;
  readonly roles: ProcessRoles;
  /** Called at the points at which a crash would be most awkward; the crash suite passes its own. */
  readonly probe?: Probe;
  /** No other process serves this deployment, nor can: then rate windows need no database. */
  readonly alone?: boolean;
  readonly onOpen?: OnOpen;
}

/**
 * The whole product in one process: the foundation, the slices, and the additions of its roles and mode. Its configuration must contain the
 * addresses of both stores, and the secret key.
 */
export function createProcessModule(options: ProcessOptions): DynamicModule {
  const { configuration, roles, probe = new Probe(), alone = false, onOpen } = options;
  return {
    module: class ProcessModule {},
    imports: [
      // First, because modules that start at the end of the boot execute commands, whose handlers must be registered by then.
      CqrsModule.forRoot(),
      runtimeModule(configuration, probe),
      ...(configuration.sandbox
        ? [SandboxModule.register({ api: roles.api, onOpen }), PriceWatchModule]
        : [RealTimeModule]),
      EventStoreModule.register(),
      ReadStoreModule.register({ roles, onOpen, ...readStore }),
      TimersModule.register({ worker: roles.worker }),
      httpPortsModule(alone),
      walletProviderModule(configuration),
      LocalModelsModule,
      ...slicesFor(roles, configuration.operatorIssuer !== null),
    ],
    providers: [
      SealingCheck,
      StoresCheck,
      ...(roles.worker ? [Projecting] : []),
      ...(roles.api || roles.worker ? [StoresReadiness, ProcessGauges, StreamAccessNotice, StreamWatching] : []),
    ],
  };
}

function runtimeModule(configuration: Configuration, probe: Probe): DynamicModule {
  return {
    module: class RuntimeModule {},
    global: true,
    providers: [
      { provide: Configuration, useValue: configuration },
      Metrics,
      { provide: Probe, useValue: probe },
      { provide: Tracing, useFactory: () => openTracing(configuration) },
    ],
    exports: [Configuration, Metrics, Probe, Tracing],
  };
}

/** The clock of every mode but the sandbox. */
const realTime = [
  { provide: Clock, useClass: SystemClock },
  { provide: ModelFaults, useClass: NoFaults },
];

const RealTimeModule: DynamicModule = {
  module: class RealTimeModule {},
  global: true,
  providers: realTime,
  exports: [Clock, ModelFaults],
};

/** The HTTP core's ports that the composition binds; slices bind the others. */
function httpPortsModule(alone: boolean): DynamicModule {
  return {
    module: class HttpPortsModule {},
    global: true,
    providers: [
      { provide: ApiDescription, useValue: partnerApi },
      { provide: SqlExecutor, useExisting: Database },
      alone
        ? { provide: RateWindows, useFactory: () => new MemoryRateWindows() }
        : {
            provide: RateWindows,
            useFactory: (sql: SqlExecutor) => new PostgresRateWindows(sql),
            inject: [SqlExecutor],
          },
    ],
    exports: [ApiDescription, SqlExecutor, RateWindows],
  };
}

/** The models that every deployment has, with any provider. */
@Global()
@Module({
  providers: [
    RulesModel,
    { provide: LocalModels, useFactory: (rules: RulesModel) => new LocalModels([rules]), inject: [RulesModel] },
  ],
  exports: [LocalModels],
})
class LocalModelsModule {}

/** Samples a price that is pinned in the sandbox, for the rules that depend on it. */
@Global()
@Module({
  imports: [SourcesModule],
  providers: [
    {
      provide: PinnedPrices,
      useFactory: (sampler: Sampler): PinnedPrices => ({ priceChanged: (tokenId) => sampler.priceChanged(tokenId) }),
      inject: [Sampler],
    },
  ],
  exports: [PinnedPrices],
})
class PriceWatchModule {}

/** The configured place of the wallets, bound for every slice that injects a WalletProvider. */
function walletProviderModule({ env }: Configuration): DynamicModule {
  const sandbox = env.WALLET_PROVIDER === 'sandbox';
  return {
    module: class WalletProviderModule {},
    global: true,
    imports: [WalletKeysModule, ...(sandbox ? [] : [NearIntentsModule])],
    providers: sandbox
      ? [SandboxLedger, { provide: WalletProvider, useFactory: measured, inject: [SandboxLedger, Metrics] }]
      : [],
    exports: sandbox ? [WalletProvider] : [NearIntentsModule],
  };
}
