// The scheduling priority of the load on a machine that it shares with what it measures.
import { getPriority, setPriority } from 'node:os';

/**
 * Raises the priority of this process, because a load that is itself late measures a latency that does not exist.
 * Returns whether the system permits it.
 */
export function comeFirst() {
  try {
    setPriority(-10);
    return true;
  } catch {
    return false; // not root
  }
}

/** Resets the priority of a child process, which inherits that of its parent. */
export function asUsual(child) {
  if (getPriority() < 0) setPriority(child.pid, 0);
  return child;
}
