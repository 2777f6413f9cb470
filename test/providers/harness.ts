import type { Instant } from '@app/kernel';
import type { SubmitFault } from '@app/sandbox';
import type { TokenAmount, WalletAccount, WalletProvider } from '@app/wallets';
import { randomBytes } from 'node:crypto';

/** The misbehaviour of a provider under test, in the terms of the sandbox's faults. */
export interface Faults {
  readonly submit: SubmitFault;
  readonly settleAfterSeconds: number;
  readonly down: boolean;
  readonly sessionRejected: boolean;
  readonly unpriced: boolean;
  readonly undescribed: boolean;
}

/** A provider with its surroundings, as the contract suite needs it. */
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
  /** Does what the owner of a wallet with a rejected session must do to be accepted again. */
  giveBackKey(wallet: WalletAccount): Promise<void>;
  /** Deposits tokens from outside into a connected wallet. */
  fund(wallet: WalletAccount, amount: TokenAmount): Promise<void>;
  /** Fixes a token's price in dollars, or lets it move again. */
  pinPrice(tokenId: string, priceUsd: string | null): Promise<void>;
  /** The amount of a token that a main account has received, in the token's smallest unit. */
  received(mainAccountId: string, tokenId: string): Promise<bigint>;
  /** Throws if the books are wrong: a token that does not sum to zero, a balance below zero. */
  audit(): Promise<void>;
  stop(): Promise<void>;
}

/** The tokens that every wallet under test starts with (docs/decisions/money.md). */
export const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
export const wNear = 'nep141:wrap.near';
export const ether = 'nep141:eth.omft.near';
export const indescribable = 'nep245:v2_1.omni.hot.tg:1100_sandbox';

/** A main account that no other test uses. */
export function newMainAccount(): string {
  return randomBytes(32).toString('hex');
}
