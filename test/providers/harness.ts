import type { Instant } from '@app/kernel';
import type { SubmitFault } from '@app/sandbox';
import type { TokenAmount, WalletAccount, WalletProvider } from '@app/wallets';
import { randomBytes } from 'node:crypto';

/** How a provider under test is told to misbehave; the same words as the sandbox's faults. */
export interface Faults {
  readonly submit: SubmitFault;
  readonly settleAfterSeconds: number;
  readonly down: boolean;
  readonly sessionRejected: boolean;
  readonly unpriced: boolean;
  readonly undescribed: boolean;
}

/** A provider with the world around it, as the contract suite needs it. */
export interface ProviderUnderTest {
  readonly provider: WalletProvider;
  /** Whether it has sessions that it can reject. */
  readonly hasSessions: boolean;
  now(): Instant;
  /** Moves the provider's time forward. */
  advance(seconds: number): void;
  setFaults(faults: Partial<Faults>): Promise<void>;
  /** A wallet of a new user, not connected yet. */
  newWallet(): WalletAccount;
  /** The owner of a wallet whose session was rejected does what it needs to be taken again. */
  giveBackKey(wallet: WalletAccount): Promise<void>;
  /** Tokens from outside for a connected wallet. */
  fund(wallet: WalletAccount, amount: TokenAmount): Promise<void>;
  /** Fixes a token's price in dollars, or lets it move again. */
  pinPrice(tokenId: string, priceUsd: string | null): Promise<void>;
  /** What a main account has received of a token, in its smallest unit. */
  received(mainAccountId: string, tokenId: string): Promise<bigint>;
  /** Throws when the books are not right: a token that does not sum to zero, a balance below zero. */
  audit(): Promise<void>;
  stop(): Promise<void>;
}

/** The tokens that every wallet under test starts with (docs/decisions/money.md). */
export const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
export const wNear = 'nep141:wrap.near';
export const ether = 'nep141:eth.omft.near';
export const indescribable = 'nep245:v2_1.omni.hot.tg:1100_sandbox';

/** A main account of nobody else. */
export function newMainAccount(): string {
  return randomBytes(32).toString('hex');
}
