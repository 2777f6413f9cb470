import { Injectable, Logger } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import { asId, Clock, epochMsOf, instantOf } from '@app/kernel';
import type { ApprovalId, AutomationId, Cause, ToolCallId, Instant, RunId, UserId } from '@app/kernel';
import { agentOperationId, AuthorityUses, movedUsd, operationKind, WalletProvider, Wallets } from '@app/wallets';
import type { AuthorityLedger, HeldUse, Hold, OperationState } from '@app/wallets';
import { canonicalText } from '@app/canonical';
import type { Contract, ContractAction } from '@app/consent';
import { Timers } from '@app/timers';
import type { AutomationState } from '../automation/automation.state';
import { automationKind } from '../automation/automation.stream';
import { contractWorthUsd, type PricedToken } from './contract-worth';

/** The uses of automations' contracts while their operations move money, and afterwards. All methods throw Unavailable. */
@Injectable()
export class ContractUses implements AuthorityLedger {
  private readonly logger = new Logger(ContractUses.name);

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    uses: AuthorityUses,
  ) {
    uses.offer(this);
  }

  /** Returns `suspended` while the automation is paused. */
  async hold({ automationId, approvalId, usd }: HeldUse, cause: Cause): Promise<Hold> {
    const { state } = await this.states.fresh(automationKind, automationId);
    const toolCallId = callOf(state, approvalId);
    if (toolCallId === null) return 'exceeded';
    const command = { type: 'HoldContractUse', at: this.clock.now(), toolCallId, usd } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause);
    if (done.ok) return 'held';
    // The refusal decides, because the state may have changed since it was read.
    return done.refusal.kind === 'reason' && done.refusal.reason === 'automation_held' ? 'suspended' : 'exceeded';
  }

  /** Counts the amount that the use moved, once its operation is over; does nothing before. */
  async settle(automationId: AutomationId, operation: OperationState, cause: Cause): Promise<void> {
    const { status, actions, terms } = operation;
    if (status !== 'settled' && status !== 'failed') return;
    if (actions.some(({ providerReference }) => providerReference !== null))
      await this.record(automationId, terms.approvalId, { type: 'SettleContractUse', usd: movedUsd(operation) }, cause);
    else await this.giveBack(automationId, terms.approvalId, cause);
  }

  /** Settles the uses whose operations are over already, so that they count the amounts that moved. Returns whether there were any. */
  async settleEnded(automationId: AutomationId, cause: Cause): Promise<boolean> {
    const { state } = await this.states.fresh(automationKind, automationId);
    const open = Object.values(state?.uses ?? {}).filter(({ over }) => !over);
    let settled = false;
    for (const { approvalId } of open) {
      const { state: operation } = await this.states.fresh(operationKind, agentOperationId(approvalId));
      if (operation?.status !== 'settled' && operation?.status !== 'failed') continue;
      await this.settle(automationId, operation, cause);
      settled = true;
    }
    return settled;
  }

  /** Stops counting a use from which nothing was submitted to the provider. */
  async giveBack(automationId: AutomationId, approvalId: ApprovalId, cause: Cause): Promise<void> {
    await this.record(automationId, approvalId, { type: 'ReturnContractUse' }, cause);
  }

  private async record(
    automationId: AutomationId,
    approvalId: ApprovalId,
    outcome:
      { readonly type: 'SettleContractUse'; readonly usd: string | null } | { readonly type: 'ReturnContractUse' },
    cause: Cause,
  ): Promise<void> {
    const { state } = await this.states.fresh(automationKind, automationId);
    // The contract was replaced, or the user approved the call like any other: no use needs counting.
    const toolCallId = callOf(state, approvalId);
    if (toolCallId === null) return;
    const command = { ...outcome, at: this.clock.now(), toolCallId };
    const done = await this.streams.decide(automationKind, automationId, command, cause);
    // A retry would be refused again, and must not block others.
    if (!done.ok) this.logger.error({ msg: 'the end of a use was not counted', automationId, refusal: done.refusal });
  }
}

/** The call that used the contract with that approval; null where that use does not exist. */
function callOf(state: AutomationState, approvalId: ApprovalId): ToolCallId | null {
  const [toolCallId] = Object.entries(state?.uses ?? {}).find(([, use]) => use.approvalId === approvalId) ?? [];
  return toolCallId === undefined ? null : asId<ToolCallId>(toolCallId);
}

/** This long after an approval's expiry no call can still be about to use it: a use without an operation then stops counting. */
const operationComesWithinMs = 5 * 60_000;

/** A call of a run that an automation started. */
export interface CoveredCall {
  readonly automationId: AutomationId;
  readonly userId: UserId;
  readonly toolCallId: ToolCallId;
  /** The run that makes the call. */
  readonly runId: RunId;
  /** Id of the approval that is opened and decided for a covered call; derived from the call, so that a retry gets the same id. */
  readonly approvalId: ApprovalId;
  /** The approval can be used until then. */
  readonly expiresAt: Instant;
  /** The effect of the call. */
  readonly contract: Contract;
}

/** The authority that users gave their automations by approving a contract with bounds (docs/decisions/automations.md). */
@Injectable()
export class ContractAuthority {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly timers: Timers,
    private readonly wallets: Wallets,
    private readonly provider: WalletProvider,
    private readonly clock: Clock,
    private readonly uses: ContractUses,
  ) {}

  /**
   * Whether the automation's approved contract covers a call: its actions equal the contract's exactly, and the bounds
   * hold at present prices. If so, records its use, once for each call; a use from which no operation results stops
   * counting. Does not cover calls for a paused automation, another user's, an unapproved contract, or a run that
   * another rule started.
   * @throws Unavailable
   */
  async cover(call: CoveredCall, cause: Cause): Promise<boolean> {
    const { automationId, toolCallId, runId, approvalId, contract } = call;
    const { state } = await this.states.fresh(automationKind, automationId);
    const authority = state?.definition.contract;
    if (state?.userId !== call.userId || authority === undefined || state.contractApproval === null) return false;
    if (state.contractApproval.status !== 'approved') return false;
    if (canonicalText(authority.actions) !== canonicalText(contract.actions)) return false;
    const usd = contractWorthUsd(contract.actions, await this.tokens(call.userId, contract.actions));
    if (usd === null) return false;
    await this.timers.schedule(useTimer(call));
    const contractApprovalId = state.contractApproval.approvalId;
    const command = {
      type: 'UseContract',
      at: this.clock.now(),
      toolCallId,
      runId,
      approvalId,
      contractApprovalId,
      usd,
    } as const;
    let done = await this.streams.decide(automationKind, automationId, command, cause);
    // Other uses may have moved less than was expected of them: settle those that ended, and try again.
    if (!done.ok && (await this.uses.settleEnded(automationId, cause)))
      done = await this.streams.decide(automationKind, automationId, command, cause);
    // A use recorded before a crash gives no authority once the automation is paused or archived.
    return (
      done.ok && done.value.state?.state === 'enabled' && done.value.state.uses[toolCallId]?.approvalId === approvalId
    );
  }

  /** The wallet's holdings, and the tokens that the actions pin in addition, with an amount of 0. */
  private async tokens(userId: UserId, actions: readonly ContractAction[]): Promise<readonly PricedToken[]> {
    const spendable = await this.wallets.spendable(userId);
    const held = spendable.ok ? spendable.value : [];
    const heldIds = new Set(held.map(({ tokenId }) => tokenId));
    const others = pinnedIds(actions).filter((tokenId) => !heldIds.has(tokenId));
    const found = await Promise.all(others.map(async (tokenId) => this.provider.findToken(tokenId)));
    return [...held, ...found.flatMap((token) => (token === null ? [] : [{ ...token, amountRaw: '0' }]))];
  }
}

/** The timer that checks whether the use's operation exists by then; it is scheduled before the use is recorded. */
function useTimer({ automationId, approvalId, expiresAt }: CoveredCall) {
  const dueAt = instantOf(epochMsOf(expiresAt) + operationComesWithinMs);
  const payload = { automationId, approvalId };
  return { id: `${contractUseTimers}/${approvalId}`, kind: contractUseTimers, dueAt, payload };
}

export const contractUseTimers = 'contract-use';

function pinnedIds(actions: readonly ContractAction[]): readonly string[] {
  const choices = actions.flatMap((action) =>
    action.kind === 'swap' ? [action.input, action.output] : [action.input],
  );
  return [...new Set(choices.flatMap((choice) => ('pinned' in choice ? [choice.pinned.tokenId] : [])))];
}
