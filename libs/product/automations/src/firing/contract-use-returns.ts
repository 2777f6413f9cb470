import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { FoldedStates, idInStream, Streams, type StoredEvent } from '@app/event-store';
import {
  asId,
  causeOfService,
  causeOfEvent,
  Clock,
  parseUuid,
  type ApprovalId,
  type AutomationId,
  type Cause,
  type JsonObject,
  type ToolCallId,
} from '@app/kernel';
import type { Reactor } from '@app/read-store';
import { Timers } from '@app/timers';
import { agentOperationId, operationKind } from '@app/wallets';
import { v7 as uuidV7 } from 'uuid';
import { automationKind } from '../automation/automation.stream';
import { contractUseTimers } from '../authority/contract-authority';

/**
 * Gives back uses of an automation's contract of which nothing came: the operation ended and the provider never took anything of it,
 * or there is none by the time at which the approval can be used no more (docs/decisions/automations.md).
 */
@Injectable()
export class ContractUseReturns implements Reactor, OnModuleInit {
  readonly name = 'contract-use-returns';
  readonly lock = 'contractUses';
  readonly categories = [operationKind.category];
  private readonly logger = new Logger(ContractUseReturns.name);

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.handle(contractUseTimers, ({ payload }) => this.returnIfUnused(payload));
  }

  /** The operation is over: did anything ever leave for the provider to keep? */
  async react(stored: StoredEvent): Promise<void> {
    const operationId = idInStream(operationKind, stored.stream);
    if (stored.type !== 'operation.failed' || operationId === null) return;
    const { state: operation } = await this.states.current(operationKind, operationId);
    const { automationId = null, approvalId = null } = operation?.terms ?? {};
    const taken = operation?.actions.some(({ providerReference }) => providerReference !== null) ?? true;
    if (automationId === null || approvalId === null || taken) return;
    await this.giveBack(asId<AutomationId>(automationId), approvalId, causeOfEvent(this.name, stored));
  }

  /** The approval's time is over: is there an operation? */
  private async returnIfUnused({ automationId, approvalId }: JsonObject): Promise<void> {
    const [ofAutomation, ofApproval] = [parseUuid<AutomationId>(automationId), parseUuid<ApprovalId>(approvalId)];
    if (ofAutomation === null || ofApproval === null) throw new Error('a timer names no use of a contract');
    const { state: operation } = await this.states.current(operationKind, agentOperationId(ofApproval));
    if (operation !== null) return;
    await this.giveBack(ofAutomation, ofApproval, causeOfService(this.name, uuidV7()));
  }

  private async giveBack(automationId: AutomationId, approvalId: ApprovalId, cause: Cause): Promise<void> {
    const { state } = await this.states.current(automationKind, automationId);
    // The contract was replaced, or the user approved the call like any other: there is no use to give back.
    const [toolCallId] = Object.entries(state?.uses ?? {}).find(([, use]) => use.approvalId === approvalId) ?? [];
    if (toolCallId === undefined) return;
    const command = {
      type: 'ReturnContractUse',
      at: this.clock.now(),
      toolCallId: asId<ToolCallId>(toolCallId),
    } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause);
    // It would be refused again, and others must not wait behind it.
    if (!done.ok) this.logger.error({ msg: 'a use was not given back', automationId, refusal: done.refusal });
  }
}
