import { Injectable, Logger } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import { asId, Clock, type ApprovalId, type AutomationId, type Cause, type ToolCallId } from '@app/kernel';
import {
  agentOperationId,
  AuthorityUses,
  movedUsd,
  operationKind,
  type AuthorityLedger,
  type HeldUse,
  type Hold,
  type OperationState,
} from '@app/wallets';
import type { AutomationState } from '../automation/automation.state';
import { automationKind } from '../automation/automation.stream';

/**
 * The uses of automations' contracts while their operations move money, and afterwards. All methods throw Unavailable.
 */
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

  /**
   * Settles the uses whose operations are over already, so that they count the amounts that moved. Returns whether
   * there were any.
   */
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
