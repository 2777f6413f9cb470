import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, instantOf, parseUuid, type OperationId } from '@app/kernel';
import { Timers, type Timer } from '@app/timers';
import { driveOperation } from './drive-operation';
import { isPatient, nextLook } from './operation-pace';
import { operationTimer, operationTimers } from './operation-timer';
import { OperationWorlds } from './operation-worlds';

/** Handles the timers that drive operations (docs/decisions/money.md). It may be killed anywhere, and run in several workers at once. */
@Injectable()
export class OperationDriver implements OnModuleInit {
  /** The operations that this process is driving just now; `woken`: somebody had news of it meanwhile. */
  private readonly driving = new Map<OperationId, { woken: boolean }>();

  constructor(
    private readonly worlds: OperationWorlds,
    private readonly timers: Timers,
    private readonly clock: Clock,
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
      const driven = await driveOperation(this.worlds.of(operationId), isPatient(waits));
      const next = nextLook(driven, waits, this.clock.epochMs(), drive.woken);
      if (next === null) return;
      const timer = operationTimer(operationId, instantOf(next.atMs));
      await this.timers.schedule({ ...timer, payload: { ...timer.payload, waits: next.waits } });
    } finally {
      this.driving.delete(operationId);
    }
  }
}
