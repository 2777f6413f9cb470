import type { Instant, Result } from '@app/kernel';
import type { Probe } from '@app/runtime';
import type { Hold } from './authority-uses';
import type { OperationState } from './operation.state';
import type { SubmissionCommand } from './submission.decider';
import type { Holding, WalletProvider } from './wallet-provider';
import type { WalletState } from './wallet.decider';

/** What a command came to. */
export interface Recorded {
  /** Whether anything was appended. */
  readonly appended: boolean;
  /** The operation after it. */
  readonly state: OperationState | null;
}

/** What driving one operation needs of the world. The product's is in OperationWorlds; the simulation has its own. */
export interface OperationWorld {
  readonly operationId: string;
  readonly provider: WalletProvider;
  readonly probe: Probe;
  now(): Instant;
  /** The operation as of now. @throws Unavailable */
  fold(): Promise<OperationState | null>;
  /** Appends what follows, if anything does, at the exact revision that it was decided on. @throws Unavailable */
  record(command: SubmissionCommand): Promise<Recorded>;
  wallet(state: OperationState): Promise<WalletState>;
  /** See `Wallets.spendable`: balances less what other operations have taken of them. */
  spendable(state: OperationState): Promise<Result<readonly Holding[]>>;
  /**
   * Holds the use of the automation's contract that covers the operation against what the contract leaves; see `AuthorityLedger`.
   * @param usd what the operation will have moved with its next action. Throws Unavailable
   */
  hold(state: OperationState, usd: string): Promise<Hold>;
  /** The provider has rejected the wallet's session. */
  sessionRejected(state: OperationState): Promise<void>;
}

/** A call of the provider between two places where a test may stop the process. */
export async function withProbe<Value>({ probe }: OperationWorld, call: () => Promise<Value>): Promise<Value> {
  probe.reached('provider:before');
  const value = await call();
  probe.reached('provider:after');
  return value;
}
