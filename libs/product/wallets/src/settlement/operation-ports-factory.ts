import { Injectable } from '@nestjs/common';
import { EventStore, FoldedStates, streamName, Streams } from '@app/event-store';
import { asId, causeOfEvent, Clock, type AutomationId, type Cause, type OperationId } from '@app/kernel';
import { Probe } from '@app/runtime';
import { AuthorityUses } from './authority-uses';
import type { OperationPorts } from './operation-ports';
import { operationKind } from '../operation/operation.stream';
import { Wallets } from '../wallet/wallets';

/** Number of events at the start of an operation that include its use: prepared, opened, decided, confirmed. */
const beginningEvents = 4;

/** The ports of `driveOperation`, implemented by the product. */
@Injectable()
export class OperationPortsFactory {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly store: EventStore,
    private readonly wallets: Wallets,
    private readonly uses: AuthorityUses,
    private readonly clock: Clock,
    private readonly probe: Probe,
  ) {}

  /** Returns the ports of one operation, which continue the request that began it. @param begun its cause, if known */
  of(operationId: OperationId, begun?: Cause): OperationPorts {
    let cause = begun === undefined ? null : Promise.resolve(begun);
    return {
      operationId,
      provider: this.wallets.provider,
      probe: this.probe,
      now: () => this.clock.now(),
      fold: async () => (await this.states.fresh(operationKind, operationId)).state,
      record: async (command) => {
        cause ??= this.causeOf(operationId);
        const done = await this.streams.decide(operationKind, operationId, command, await cause);
        if (!done.ok) throw new Error(`${command.type} was refused: ${JSON.stringify(done.refusal)}`);
        return { appended: done.value.events.length > 0, state: done.value.state };
      },
      wallet: async ({ terms }) => {
        const wallet = await this.wallets.find(terms.userId);
        if (wallet === null) throw new Error(`operation ${operationId} has no wallet`);
        return wallet;
      },
      spendable: ({ terms }) => this.wallets.spendable(terms.userId, { exceptOperationId: operationId }),
      hold: async ({ terms: { automationId, approvalId } }, usd) => {
        if (automationId === null) return 'exceeded';
        const use = { automationId: asId<AutomationId>(automationId), approvalId, usd };
        return this.uses.hold(use, await (cause ??= this.causeOf(operationId)));
      },
      sessionRejected: async ({ terms }) => {
        await this.wallets.recordRejection(terms.userId, await (cause ??= this.causeOf(operationId)));
      },
    };
  }

  /** The cause of everything done for an operation; it continues the request that began it. */
  private async causeOf(operationId: OperationId): Promise<Cause> {
    const events = await this.store.readStream(streamName(operationKind, operationId), 0, beginningEvents);
    const use = events.findLast(({ type }) => type === 'operation.used' || type === 'operation.confirmed');
    if (use === undefined) throw new Error(`operation ${operationId} was not used`);
    return causeOfEvent('operation-driver', use);
  }
}
