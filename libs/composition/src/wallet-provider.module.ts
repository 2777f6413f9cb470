import type { DynamicModule } from '@nestjs/common';
import { NearIntentsModule } from '@app/near-intents';
import type { Configuration } from '@app/runtime';
import { SandboxLedger } from '@app/sandbox';
import { WalletKeysModule, WalletProvider } from '@app/wallets';

/** Where wallets live, as the configuration says: bound for every slice that asks for a WalletProvider. */
export function walletProviderModule({ env }: Configuration): DynamicModule {
  const sandbox = env.WALLET_PROVIDER === 'sandbox';
  return {
    module: class WalletProviderModule {},
    global: true,
    imports: [WalletKeysModule, ...(sandbox ? [] : [NearIntentsModule])],
    providers: sandbox ? [{ provide: WalletProvider, useClass: SandboxLedger }] : [],
    exports: sandbox ? [WalletProvider] : [NearIntentsModule],
  };
}
