import type { Instant, OperationId } from '@app/kernel';
import type { Timer } from '@app/timers';

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
