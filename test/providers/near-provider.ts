import { instantOf, type UserId } from '@app/kernel';
import { nearIntents } from '@app/near-intents';
import { readConfiguration } from '@app/settings';
import type { WalletAccount } from '@app/wallets';
import { randomBytes } from 'node:crypto';
import type { ProviderUnderTest } from './harness';
import {
  NearChain,
  oneClickKey,
  relayKey,
  startNearLoopback,
  type ContractViews,
  type NearLoopback,
} from '@app/testing/near';
import { KeysInMemory, startLedger, type LedgerUnderTest } from './sandbox-provider';

/**
 * So large that the breaker stays closed, because the next call of a provider that was down must reach it (the breaker
 * has its own specs).
 */
const breakerFailures = 1_000_000;

/** The adapter on its loopback, for its unit specs and the contract suite. */
export interface NearUnderTest extends ProviderUnderTest {
  readonly chain: NearChain;
  readonly loopback: NearLoopback;
  /** The signer of the wallets. */
  readonly keys: KeysInMemory;
  /** Locks an account, as the contract's owners can. */
  lock(wallet: WalletAccount): void;
  unlock(wallet: WalletAccount): void;
  /** Sets a new current salt; the earlier ones remain valid. */
  rotateSalt(): void;
  /** Invalidates the current salt and sets another one. */
  invalidateSalt(): void;
  /** Removes a wallet's key, as its owner can. */
  removeKey(wallet: WalletAccount): Promise<void>;
}

/** The implementation of the verifier contract. */
export interface PlayedContract {
  readonly chain: NearChain;
  readonly views?: ContractViews;
}

/** Starts the near-intents provider on a loopback server with a separate ledger. */
export async function startNearProvider(
  play: (ledger: LedgerUnderTest, userOf: (address: string) => UserId) => PlayedContract = (ledger, userOf) => ({
    chain: new NearChain(ledger, userOf),
  }),
): Promise<NearUnderTest> {
  const ledger = await startLedger();
  const { clock, faults, market, wallets } = ledger;
  const keys = new KeysInMemory();
  const owners = new Map<string, UserId>();
  const { chain, views } = play(ledger, (address) => owners.get(address)!);
  const loopback = await startNearLoopback(chain, views);
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
    ONE_CLICK_TOKEN: oneClickKey,
    ONE_CLICK_QUOTE_KEY: loopback.quoteKey,
    PROVIDER_TIMEOUT_MS: '5000',
    PROVIDER_BREAKER_FAILURES: String(breakerFailures),
  });
  return {
    chain,
    loopback,
    keys,
    hasSessions: true,
    newWallet,
    provider: nearIntents(configuration, keys, clock, { ttlMs: 0 }),
    now: () => instantOf(clock.nowMs),
    advance: (seconds) => void (clock.nowMs += seconds * 1000),
    setFaults: async (change) => void (await faults.change(change)),
    giveBackKey: ({ address }) => chain.addKey(address),
    lock: ({ address }) => void chain.locked.add(address),
    unlock: ({ address }) => void chain.locked.delete(address),
    rotateSalt: () => void chain.salts.push(newSalt()),
    invalidateSalt: () => void chain.salts.splice(-1, 1, newSalt()),
    removeKey: async () => void (await faults.change({ sessionRejected: true })),
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

function newSalt(): string {
  return randomBytes(4).toString('hex');
}
