import type { DynamicModule } from '@nestjs/common';
import { NearIntentsModule } from '@app/near-intents';
import { Metrics } from '@app/runtime';
import type { Configuration } from '@app/settings';
import { SandboxLedger } from '@app/sandbox';
import { measured, WalletKeysModule, WalletProvider } from '@app/wallets';

/** The configured place of the wallets, bound for every slice that injects a WalletProvider. */
export function walletProviderModule({ env }: Configuration): DynamicModule {
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
