import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventStore, FoldedStates, Streams } from '@app/event-store';
import { asId, Clock, instantOf, parseUuid, type Cause, type OperationId, type RequestId } from '@app/kernel';
import { Probe } from '@app/runtime';
import { Timers, type Timer } from '@app/timers';
import { driveOperation, type OperationWorld } from './drive-operation';
import { isPatient, nextLook } from './operation-pace';
import { operationTimer, operationTimers } from './operation-timer';
import { operationKind } from './operation.stream';
import { WalletProvider } from './wallet-provider';
import { Wallets } from './wallets';

/** The first events of an operation, among which is its use: prepared, opened, decided, confirmed. */
const beginningEvents = 4;

/** Handles the timers that drive operations (docs/decisions/money.md). It may be killed anywhere, and run in several workers at once. */
@Injectable()
export class OperationDriver implements OnModuleInit {
  /** The operations that this process is driving just now; `woken`: somebody had news of it meanwhile. */
  private readonly driving = new Map<OperationId, { woken: boolean }>();

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly store: EventStore,
    private readonly wallets: Wallets,
    private readonly provider: WalletProvider,
    private readonly timers: Timers,
    private readonly clock: Clock,
    private readonly probe: Probe,
  ) {}

  onModuleInit(): void {
    this.timers.handle(operationTimers, (timer) => this.handle(timer));
  }

  /**
   * There is news of the operation: it is driven now, by some worker. What a provider's callback says is never believed, only asked
   * about; so callbacks may come twice, late, or for nothing. @throws Unavailable
   */
  async wake(operationId: OperationId): Promise<void> {
    const driving = this.driving.get(operationId);
    if (driving !== undefined) driving.woken = true;
    await this.timers.schedule(operationTimer(operationId, this.clock.now()));
  }

  private async handle({ payload }: Timer): Promise<void> {
    const operationId = parseUuid<OperationId>(payload['operationId']);
    if (operationId === null) throw new TypeError('the timer names no operation');
    const waits = typeof payload['waits'] === 'number' ? payload['waits'] : 0;
    const drive = { woken: false };
    this.driving.set(operationId, drive);
    try {
      const driven = await driveOperation(this.worldOf(operationId), isPatient(waits));
      const next = nextLook(driven, waits, this.clock.epochMs(), drive.woken);
      if (next === null) return;
      const timer = operationTimer(operationId, instantOf(next.atMs));
      await this.timers.schedule({ ...timer, payload: { ...timer.payload, waits: next.waits } });
    } finally {
      this.driving.delete(operationId);
    }
  }

  private worldOf(operationId: OperationId): OperationWorld {
    let cause: Promise<Cause> | null = null;
    return {
      operationId,
      provider: this.provider,
      probe: this.probe,
      now: () => this.clock.now(),
      fold: async () => (await this.states.current(operationKind, operationId)).state,
      record: async (command) => {
        cause ??= this.causeOf(operationId);
        const done = await this.streams.decide(operationKind, operationId, command, await cause);
        if (!done.ok) throw new Error(`${command.type} was refused: ${JSON.stringify(done.refusal)}`);
        return done.value.events.length > 0;
      },
      wallet: async ({ terms }) => {
        const wallet = await this.wallets.find(terms.userId);
        if (wallet === null) throw new Error(`operation ${operationId} has no wallet`);
        return wallet;
      },
      spendable: ({ terms }) => this.wallets.spendable(terms.userId, { exceptOperationId: operationId }),
      sessionRejected: async ({ terms }) =>
        this.wallets.rejected(terms.userId, await (cause ??= this.causeOf(operationId))),
    };
  }

  /** Whatever is done for an operation continues the request that began it. */
  private async causeOf(operationId: OperationId): Promise<Cause> {
    const events = await this.store.readStream(`${operationKind.category}-${operationId}`, 0, beginningEvents);
    const use = events.findLast(({ type }) => type === 'operation.used' || type === 'operation.confirmed');
    if (use === undefined) throw new Error(`operation ${operationId} was not used`);
    return {
      actor: { kind: 'service', id: 'operation-driver' },
      requestId: asId<RequestId>(use.metadata.requestId),
      correlationId: use.metadata.$correlationId,
      causationId: use.id,
    };
  }
}
