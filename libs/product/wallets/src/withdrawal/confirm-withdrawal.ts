import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { chooseInput, type PinnedToken } from '@app/consent';
import { DeploymentControls } from '@app/deployment';
import { FoldedStates, KeyedQueue, Streams } from '@app/event-store';
import { because, Clock, notFound, ok, refuse, withdrawalChanged } from '@app/kernel';
import type { OperationId, Result, WithdrawalChange } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import type { OperationCommand } from '../operation/operation.decider';
import { OperationStart } from '../operation/operation-start';
import type { OperationState } from '../operation/operation.state';
import { operationKind } from '../operation/operation.stream';
import type { Owner } from '../wallet/owner';
import { unusable } from '../wallet/wallet.decider';
import type { Holding } from '../provider/wallet-provider';
import { Wallets } from '../wallet/wallets';
import type { ConfirmedWithdrawal } from './withdrawal.schema';

/**
 * Records the approval of a prepared withdrawal and its use in one append. Only one of several confirmations is
 * accepted. Refuses with `not_found`, `deployment_paused`, or `withdrawal_changed` (another fingerprint or main
 * account, no longer prepared, expired, which is recorded, or the wallet can no longer cover it). @throws Unavailable
 * when a store or the provider does not answer
 */
export class ConfirmWithdrawal extends Command<Result<ConfirmedWithdrawal>> {
  constructor(
    readonly owner: Owner,
    readonly operationId: OperationId,
    readonly fingerprint: string,
  ) {
    super();
  }
}

/** Maximum number of one user's confirmations that queue in one process. */
const waitingPerUserMax = 300;

@CommandHandler(ConfirmWithdrawal)
export class ConfirmWithdrawalHandler implements ICommandHandler<ConfirmWithdrawal> {
  /**
   * Runs a user's confirmations one at a time, so that two withdrawals cannot both pass on a balance that covers only
   * one. On two replicas both can pass; then the provider decides, and the other one fails with `insufficient_balance`.
   */
  private readonly turns = new KeyedQueue(waitingPerUserMax);

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly controls: DeploymentControls,
    private readonly gate: ReadGate,
    private readonly start: OperationStart,
    private readonly wallets: Wallets,
  ) {}

  async execute(command: ConfirmWithdrawal): Promise<Result<ConfirmedWithdrawal>> {
    return this.turns.run(command.owner.userId, () => this.confirm(command));
  }

  private async confirm({ owner, operationId, fingerprint }: ConfirmWithdrawal): Promise<Result<ConfirmedWithdrawal>> {
    const { state } = await this.states.fresh(operationKind, operationId);
    if (state?.terms.userId !== owner.userId) return refuse(notFound);
    const other = otherThanReviewed(state, owner, fingerprint);
    if (other !== null) return refuse(withdrawalChanged(other));
    const at = this.clock.now();
    if (at >= state.terms.expiresAt) return this.expire(owner, operationId, state);
    if (await this.controls.isPaused('withdrawals')) return refuse(because('deployment_paused'));
    const covered = await this.checkCoverage(state);
    return covered.ok ? this.use(owner, operationId, fingerprint) : covered;
  }

  /** Whether the wallet can still spend what the contract takes, with the decimals that the user reviewed. */
  private async checkCoverage({ terms: { userId, contract } }: OperationState): Promise<Result<true>> {
    const wallet = await this.wallets.find(userId);
    if (wallet === null) return refuse(notFound);
    const why = unusable(wallet);
    if (why !== null) return refuse(withdrawalChanged(why));
    const spendable = await this.wallets.spendable(userId);
    if (!spendable.ok) return spendable;
    const others = contract.actions.filter((action) => !chooseInput(action, spendable.value).ok);
    if (others.length === 0) return ok(true);
    const redescribed = others.some(({ input }) => 'pinned' in input && isRedescribed(input.pinned, spendable.value));
    return refuse(withdrawalChanged(redescribed ? 'not_expressible' : 'insufficient_balance'));
  }

  private async use(
    { cause }: Owner,
    operationId: OperationId,
    fingerprint: string,
  ): Promise<Result<ConfirmedWithdrawal>> {
    const command: OperationCommand = { type: 'ConfirmWithdrawal', at: this.clock.now(), fingerprint };
    const done = await this.start.begin(operationId, command, cause);
    // Another confirmation, a denial or the expiry was recorded first, or this decision was too late and recorded the
    // expiry.
    if (!done.ok) return refuse(done.refusal);
    if (!done.value.events.some(({ type }) => type === 'operation.confirmed'))
      return refuse(withdrawalChanged('expired'));
    await this.gate.waitForProjection(done.value.position);
    return ok({ operationId, status: 'submitted' });
  }

  private async expire({ cause }: Owner, operationId: OperationId, { terms }: OperationState): Promise<Result<never>> {
    const command: OperationCommand = { type: 'ExpireApproval', at: this.clock.now(), approvalId: terms.approvalId };
    await this.streams.decide(operationKind, operationId, command, cause, { visible: true });
    return refuse(withdrawalChanged('expired'));
  }
}

/** The first difference from what the user reviewed; null if there is none. */
function otherThanReviewed(
  { status, approval, terms }: OperationState,
  { mainAccountId }: Owner,
  fingerprint: string,
): WithdrawalChange | null {
  if (status !== 'prepared') return status === 'expired' ? 'expired' : 'not_prepared';
  if (approval?.fingerprint !== fingerprint) return 'fingerprint';
  return mainAccountId === terms.mainAccountId ? null : 'main_account_missing';
}

/** Whether the provider now reports other decimals for the token than those reviewed, or none. */
function isRedescribed({ tokenId, decimals }: PinnedToken, holdings: readonly Holding[]): boolean {
  return holdings.some((held) => held.tokenId === tokenId && held.decimals !== decimals);
}
