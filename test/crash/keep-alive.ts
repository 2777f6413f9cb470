import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProcess } from '@app/testing/processes';

const lookAgainMs = 20;
/** A process that keeps ending is broken. */
const restartsMax = 10;

/** Longer each time. */
const startAgainMs = 50;

/** A process that is being killed looks alive for a moment. */
const surelyAliveMs = 200;

/** Starts a process again whenever it ends, as an orchestrator would, until it is left; `leave` leaves it running. */
export function keepAlive(kept: TestProcess): { leave(): Promise<void> } {
  let left = false;
  const keeping = (async () => {
    let aliveSinceMs = performance.now();
    for (let restarts = 0; ;) {
      if (isAlive(kept.pid)) {
        if (left && performance.now() - aliveSinceMs > surelyAliveMs) return;
        if (!left) aliveSinceMs = performance.now();
        await sleep(lookAgainMs);
        continue;
      }
      restarts += 1;
      if (restarts > restartsMax) throw new Error(`a process ended ${restarts} times:\n${kept.output}`);
      // Killed again while it started; broken, which the count tells; or its port is somebody else's for a moment.
      await kept.start().catch(() => sleep(restarts * startAgainMs));
    }
  })();
  keeping.catch(() => undefined); // an error is told to the one who leaves it
  return {
    leave: () => {
      left = true;
      return keeping;
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // There is no such process any more.
    return false;
  }
}
