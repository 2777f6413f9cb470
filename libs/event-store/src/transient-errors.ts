import {
  CancelledError,
  DeadlineExceededError,
  NotLeaderError,
  TimeoutError,
  UnavailableError,
} from '@eventstore/db-client';
import { Unavailable } from '@app/kernel';

/** gRPC codes after which the same call may succeed: cancelled, deadline exceeded, aborted, internal (a reset), unavailable. */
const transientCodes = new Set([1, 4, 10, 13, 14]);

/** Whether the store failed to answer, as opposed to having refused. */
export function isTransient(error: unknown): boolean {
  if (error instanceof Unavailable) return true;
  if (
    error instanceof UnavailableError ||
    error instanceof CancelledError ||
    error instanceof DeadlineExceededError ||
    error instanceof TimeoutError ||
    error instanceof NotLeaderError
  ) {
    return true;
  }
  // With the server away `appendToStream` rejects with a plain gRPC error, not with one of the client's own.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && transientCodes.has(code);
}
