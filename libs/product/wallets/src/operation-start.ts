import { Injectable } from '@nestjs/common';
import { Streams, type Decided, type DecideOptions } from '@app/event-store';
import { causeOfEvent, Clock, instantOf, type Cause, type OperationId } from '@app/kernel';
import { Timers } from '@app/timers';
import type { OperationCommand } from './operation.decider';
import type { OperationEvent } from './operation.events';
import { operationTimer } from './operation-timer';
import type { OperationState } from './operation.state';
import { operationKind } from './operation.stream';

/** After so long without news of an operation that was to go on where it began, some worker goes on with it. Real time. */
const netAfterMs = 3_000;

/** An operation that an append of this process has just begun, and what is known of it without reading anything. */
export interface BegunOperation {
  readonly operationId: OperationId;
  /** As that append has left it. */
  readonly state: OperationState;
  /** Of what is done for it. */
  readonly cause: Cause;
}

/** What drives operations in this process. */
export interface BegunDriver {
  /** Goes on with an operation that has just begun; false where there is no room for one more. */
  goOn(begun: BegunOperation): boolean;
  isDriving(operationId: OperationId): boolean;
}

/**
 * How an operation begins to move: the process whose append used the approval goes on with it at once, from the state which that left.
 * Where this process drives none, or has no room, some worker takes it by its timer (docs/architecture.md, "The path of money").
 */
@Injectable()
export class OperationStart {
  private driver: BegunDriver | null = null;

  constructor(
    private readonly streams: Streams,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /** From now on, operations that begin here are driven here. */
  offer(driver: BegunDriver): void {
    this.driver = driver;
  }

  /** Whether this process is driving the operation at the moment. Then it hears first what becomes of it. */
  isDrivenHere(operationId: OperationId): boolean {
    return this.driver?.isDriving(operationId) === true;
  }

  /**
   * Decides a command that may begin the operation. Its timer is scheduled before, as the net: if this process dies afterwards,
   * another worker finds it. It rests a moment where this process is to go on itself. Throws Unavailable: then it may have begun.
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
    // Also of one that had begun before: the process that began it may have died.
    if (!goesOn) await this.timers.schedule(operationTimer(operationId, instantOf(atMs + 1)));
    return decided;
  }
}
