// Whose turn it is on a machine that the load shares with what it measures.
import { getPriority, setPriority } from 'node:os';

/** A load that is itself late measures what is not there: where it may, it goes before the processes that it loads. Answers whether it may. */
export function comeFirst() {
  try {
    setPriority(-10);
    return true;
  } catch {
    return false; // not root
  }
}

/** A process that is started by one that comes first does not come first itself. */
export function asUsual(child) {
  if (getPriority() < 0) setPriority(child.pid, 0);
  return child;
}
