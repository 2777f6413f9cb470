import { instantOf, type UserId } from '@app/kernel';
import { nearIntents } from '@app/near-intents';
import { readConfiguration } from '@app/runtime';
import type { WalletAccount } from '@app/wallets';
import type { ProviderUnderTest } from './harness';
import { NearChain, relayKey, startNearLoopback, type NearLoopback } from '@app/testing/near';
import { KeysInMemory, startLedger } from './sandbox-provider';

/** So many that the breaker stays closed: what a provider that was down is asked next counts (the breaker has specs of its own). */
const breakerFailures = 1_000_000;

/** The adapter on its loopback, as its unit specs and the contract suite take it. */
export interface NearUnderTest extends ProviderUnderTest {
  readonly chain: NearChain;
  readonly loopback: NearLoopback;
}

/** The near-intents provider on a loopback server that stands on a ledger of its own. */
export async function startNearProvider(): Promise<NearUnderTest> {
  const ledger = await startLedger();
  const { clock, faults, market, wallets } = ledger;
  const keys = new KeysInMemory();
  const owners = new Map<string, UserId>();
  const chain = new NearChain(ledger, (address) => owners.get(address)!);
  const loopback = await startNearLoopback(chain);
  const newWallet = (): WalletAccount => {
    const wallet = keys.newWallet();
    owners.set(wallet.address, wallet.userId);
    return wallet;
  };
  const configuration = readConfiguration({
    NEAR_RPC_URL: `${loopback.url}/near`,
    SOLVER_RELAY_URL: `${loopback.url}/relay`,
    SOLVER_RELAY_TOKEN: relayKey,
    ONE_CLICK_URL: loopback.url,
    PROVIDER_TIMEOUT_MS: '5000',
    PROVIDER_BREAKER_FAILURES: String(breakerFailures),
  });
  return {
    ...{ chain, loopback, hasSessions: true, newWallet },
    provider: nearIntents(configuration, keys, clock, 0),
    now: () => instantOf(clock.nowMs),
    advance: (seconds) => void (clock.nowMs += seconds * 1000),
    setFaults: async (change) => void (await faults.change(change)),
    giveBackKey: ({ address }) => chain.addKey(address),
    fund: async (wallet, amount) => void (await wallets.deposit(wallet.userId, amount)),
    pinPrice: (tokenId, priceUsd) => market.pin(tokenId, priceUsd),
    received: (mainAccountId, tokenId) => ledger.balance(`main:${mainAccountId}`, tokenId),
    audit: () => ledger.audit(),
    stop: async () => {
      await loopback.stop();
      await ledger.stop();
    },
  };
}
