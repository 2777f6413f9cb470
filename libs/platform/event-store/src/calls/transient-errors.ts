import {
  CancelledError,
  DeadlineExceededError,
  NotLeaderError,
  TimeoutError,
  UnavailableError,
} from '@eventstore/db-client';
import { DamagedStream, Unavailable } from '@app/kernel';

/** gRPC codes after which the same call may succeed: cancelled, deadline exceeded, aborted, internal (a reset), unavailable. */
const transientCodes = new Set([1, 4, 10, 13, 14]);

/**
 * Messages without a code: a cluster's while it elects a leader (EventStoreDB 23.10.6, three nodes, leader killed), and the client's when
 * it finds no node.
 */
const electing = /server is (not ready|busy|too busy)|no leader info|failed to discover/i;

/** Whether the store failed to answer, as opposed to having refused. */
export function isTransient(error: unknown): boolean {
  if (error instanceof DamagedStream) return false;
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
  if (error instanceof Error && electing.test(error.message)) return true;
  // Some of the client's calls reject with a plain gRPC error, not with one of its own.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && transientCodes.has(code);
}
