import { causeOfEvent, Clock, instantOf, type Cause, type Instant, type OperationId } from '@app/kernel';
import { Timers, type Timer } from '@app/timers';
import { Injectable } from '@nestjs/common';
import { Streams, type Decided, type DecideOptions } from '@app/event-store';
import type { OperationCommand } from './operation.decider';
import type { OperationEvent } from './operation.events';
import type { OperationState } from './operation.state';
import { operationKind } from './operation.stream';

/** The kind of timers that drive operations. */
export const operationTimers = 'operation';

/**
 * The timer that drives an operation. It is scheduled before the append that makes the operation drivable, so that
 * moving the clock right after finds it, and again after the append if another process is to continue
 * (`OperationStart`).
 */
export function operationTimer(operationId: OperationId, dueAt: Instant): Timer {
  return { id: `${operationTimers}/${operationId}`, kind: operationTimers, dueAt, payload: { operationId } };
}

/** Without progress for this long, another worker continues an operation of the process that began it. Real time. */
const netAfterMs = 3_000;

/** An operation that an append of this process has just begun, with what is known of it without a read. */
export interface BegunOperation {
  readonly operationId: OperationId;
  /** The state after that append. */
  readonly state: OperationState;
  /** The cause of everything recorded for it. */
  readonly cause: Cause;
}

/** Drives operations in this process. */
export interface BegunDriver {
  /** Continues an operation that has just begun; returns false when there is no capacity for one more. */
  goOn(begun: BegunOperation): boolean;
  isDriving(operationId: OperationId): boolean;
}

/**
 * Begins operations: the process whose append used the approval continues at once from the resulting state. If this
 * process drives none or has no capacity, another worker takes it by its timer (docs/architecture.md, "The path of
 * money").
 */
@Injectable()
export class OperationStart {
  private driver: BegunDriver | null = null;

  constructor(
    private readonly streams: Streams,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /** Registers the driver for operations that begin here. */
  offer(driver: BegunDriver): void {
    this.driver = driver;
  }

  /** Whether this process is driving the operation now. Then its progress is known here first. */
  isDrivenHere(operationId: OperationId): boolean {
    return this.driver?.isDriving(operationId) === true;
  }

  /**
   * Decides a command that may begin the operation. Its timer is scheduled before the append, so that another worker
   * finds the operation if this process dies; the timer waits a moment if this process is to continue itself. Throws
   * Unavailable; the operation may have begun nevertheless.
   */
  async begin(
    operationId: OperationId,
    command: OperationCommand,
    cause: Cause,
    options: DecideOptions = {},
  ): Promise<Decided<OperationState | null, OperationEvent>> {
    const atMs = this.clock.epochMs();
    await this.timers.schedule(operationTimer(operationId, instantOf(atMs)), { restMs: netAfterMs });
    const decided = await this.streams.decide(operationKind, operationId, command, cause, options);
    if (!decided.ok) return decided;
    const { state, stored } = decided.value;
    const use = stored.find(({ type }) => type === 'operation.used' || type === 'operation.confirmed');
    const begun = use !== undefined &&
      state !== null && { operationId, state, cause: causeOfEvent('operation-driver', use) };
    const goesOn = begun !== false && this.driver?.goOn(begun) === true;
    // Also for an operation that had begun before, because the process that began it may have died.
    if (!goesOn) await this.timers.schedule(operationTimer(operationId, instantOf(atMs + 1)));
    return decided;
  }
}
