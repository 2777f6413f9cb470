import { Injectable, type OnModuleInit } from '@nestjs/common';
import { FoldedStates, idInStream, type StoredEvent } from '@app/event-store';
import { asId, causeOfService, causeOfEvent, parseUuid } from '@app/kernel';
import type { ApprovalId, AutomationId, JsonObject } from '@app/kernel';
import type { Reactor } from '@app/read-store';
import { Timers } from '@app/timers';
import { agentOperationId, operationKind } from '@app/wallets';
import { v7 as uuidV7 } from 'uuid';
import { contractUseTimers, ContractUses } from '../authority/contract-authority';

/**
 * Counts the amounts that uses of an automation's contract moved, once their operations are over, and stops counting
 * uses from which nothing resulted: the provider accepted nothing, or no operation exists when the approval can no
 * longer be used (docs/decisions/automations.md).
 */
@Injectable()
export class ContractUseReturns implements Reactor, OnModuleInit {
  readonly name = 'contract-use-returns';
  readonly lock = 'contractUses';
  readonly categories = [operationKind.category];

  constructor(
    private readonly states: FoldedStates,
    private readonly timers: Timers,
    private readonly uses: ContractUses,
  ) {}

  onModuleInit(): void {
    this.timers.handle(contractUseTimers, ({ payload }) => this.returnIfUnused(payload));
  }

  /** Settles the use of an operation that is over. */
  async react(stored: StoredEvent): Promise<void> {
    const operationId = idInStream(operationKind, stored.stream);
    if ((stored.type !== 'operation.failed' && stored.type !== 'operation.settled') || operationId === null) return;
    const { state: operation } = await this.states.fresh(operationKind, operationId);
    const automationId = operation?.terms.automationId ?? null;
    if (operation === null || automationId === null) return;
    await this.uses.settle(asId<AutomationId>(automationId), operation, causeOfEvent(this.name, stored));
  }

  /** Stops counting the use if no operation exists when the approval's time is over. */
  private async returnIfUnused({ automationId, approvalId }: JsonObject): Promise<void> {
    const [ofAutomation, ofApproval] = [parseUuid<AutomationId>(automationId), parseUuid<ApprovalId>(approvalId)];
    if (ofAutomation === null || ofApproval === null) throw new Error('a timer names no use of a contract');
    const { state: operation } = await this.states.fresh(operationKind, agentOperationId(ofApproval));
    if (operation === null) await this.uses.giveBack(ofAutomation, ofApproval, causeOfService(this.name, uuidV7()));
  }
}
