import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock, instantOf, parseUuid, type OperationId, failureWords } from '@app/kernel';
import { settledWithin } from '@app/runtime';
import { Timers, type Timer } from '@app/timers';
import { driveOperation } from './drive-operation';
import { isPatient, nextLook } from './operation-pace';
import { OperationStart, operationTimer, operationTimers } from '../operation/operation-start';
import type { BegunDriver, BegunOperation } from '../operation/operation-start';
import { OperationPortsFactory } from './operation-ports-factory';

/** Maximum number of operations driven in the process where they began; workers take the others. */
const begunHereMax = 32;
/** How long a stopping process waits for the operations that it drives. */
const leaveAfterMs = 3_000;

/**
 * Drives operations (docs/decisions/money.md): those that began in this process at once, others by their timers. Can be
 * killed anywhere, and may run in several workers at once.
 */
@Injectable()
export class OperationDriver implements BegunDriver, OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(OperationDriver.name);
  /** The operations that this process is driving now; `woken`: news of the operation arrived meanwhile. */
  private readonly driving = new Map<OperationId, { woken: boolean }>();
  /** Drives of operations that began here; these promises never reject. */
  private readonly begunHere = new Set<Promise<void>>();
  private isLeaving = false;

  constructor(
    private readonly worlds: OperationPortsFactory,
    private readonly start: OperationStart,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.handle(operationTimers, (timer) => this.handle(timer));
    this.start.offer(this);
  }

  /** Accepts no more operations and waits briefly for those it drives; timers resume the others. */
  async onModuleDestroy(): Promise<void> {
    this.isLeaving = true;
    if (!(await settledWithin([...this.begunHere], leaveAfterMs))) this.logger.warn('operations are left in flight');
  }

  /**
   * Schedules a drive now, in any worker, because there is news of the operation. A provider's callback is never
   * trusted, only taken as a reason to ask; so callbacks may arrive twice, late, or for nothing. @throws Unavailable
   */
  async wake(operationId: OperationId): Promise<void> {
    const driving = this.driving.get(operationId);
    if (driving !== undefined) driving.woken = true;
    await this.timers.schedule(operationTimer(operationId, this.clock.now()));
  }

  goOn(begun: BegunOperation): boolean {
    const { operationId } = begun;
    if (this.isLeaving || this.begunHere.size >= begunHereMax) return false;
    const done = this.drive(operationId, 0, begun)
      .then(async (hasNext) =>
        hasNext ? undefined : this.timers.cancel(operationTimer(operationId, this.clock.now()).id),
      )
      .catch((error: unknown) =>
        this.logger.warn(`operation ${operationId} waits for its timer: ${failureWords(error)}`),
      )
      .finally(() => this.begunHere.delete(done));
    this.begunHere.add(done);
    return true;
  }

  isDriving(operationId: OperationId): boolean {
    return this.driving.has(operationId);
  }

  private async handle({ payload }: Timer): Promise<void> {
    const operationId = parseUuid<OperationId>(payload['operationId']);
    if (operationId === null) throw new TypeError('the timer names no operation');
    await this.drive(operationId, typeof payload['waits'] === 'number' ? payload['waits'] : 0, null);
  }

  /** Drives as far as possible now; returns whether a timer is scheduled to resume it. @throws Unavailable */
  private async drive(operationId: OperationId, waits: number, begun: BegunOperation | null): Promise<boolean> {
    const drive = { woken: false };
    this.driving.set(operationId, drive);
    try {
      const world = this.worlds.of(operationId, begun?.cause);
      const driven = await driveOperation(world, isPatient(waits), begun?.state);
      const next = nextLook(driven, waits, this.clock.epochMs(), drive.woken);
      if (next === null) return false;
      const timer = operationTimer(operationId, instantOf(next.atMs));
      await this.timers.schedule({ ...timer, payload: { ...timer.payload, waits: next.waits } });
      return true;
    } finally {
      this.driving.delete(operationId);
    }
  }
}
