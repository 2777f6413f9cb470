import type { Instant, OperationId } from '@app/kernel';
import type { Timer } from '@app/timers';

/** The kind of timers that drive operations. */
export const operationTimers = 'operation';

/**
 * The timer that drives an operation. It is scheduled before the append that makes an operation drivable, so that a clock move
 * right after finds it, and scheduled once more after it where another process is to go on (`OperationStart`).
 */
export function operationTimer(operationId: OperationId, dueAt: Instant): Timer {
  return { id: `${operationTimers}/${operationId}`, kind: operationTimers, dueAt, payload: { operationId } };
}
