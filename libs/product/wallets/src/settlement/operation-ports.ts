import type { Instant, Result } from '@app/kernel';
import type { Probe } from '@app/runtime';
import type { Hold } from './authority-uses';
import type { OperationState } from '../operation/operation.state';
import type { SubmissionCommand } from '../operation/submission/submission.decider';
import type { Holding, WalletProvider } from '../provider/wallet-provider';
import type { WalletState } from '../wallet/wallet.decider';

/** The result of recording a command. */
export interface Recorded {
  /** Whether anything was appended. */
  readonly appended: boolean;
  /** The operation after the command. */
  readonly state: OperationState | null;
}

/** The ports for driving one operation: OperationPortsFactory has the product's, the simulation its own. */
export interface OperationPorts {
  readonly operationId: string;
  readonly provider: WalletProvider;
  readonly probe: Probe;
  now(): Instant;
  /** The operation as of now. @throws Unavailable */
  fold(): Promise<OperationState | null>;
  /** Appends the command's events, if any, at the exact revision that it was decided on. @throws Unavailable */
  record(command: SubmissionCommand): Promise<Recorded>;
  wallet(state: OperationState): Promise<WalletState>;
  /** See `Wallets.spendable`: balances minus what other operations have taken of them. */
  spendable(state: OperationState): Promise<Result<readonly Holding[]>>;
  /**
   * Reserves the use under the automation's contract that covers the operation; see `AuthorityLedger`.
   * @param usd the total that the operation will have moved with its next action. Throws Unavailable
   */
  hold(state: OperationState, usd: string): Promise<Hold>;
  /** Records that the provider has rejected the wallet's session. */
  sessionRejected(state: OperationState): Promise<void>;
}

/** Calls the provider between two points where a test may stop the process. */
export async function withProbe<Value>({ probe }: OperationPorts, call: () => Promise<Value>): Promise<Value> {
  probe.reached('provider:before');
  const value = await call();
  probe.reached('provider:after');
  return value;
}
