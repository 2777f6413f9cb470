import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProcess } from '@app/testing/processes';

const lookAgainMs = 20;
/** A process that ends more often is broken. */
const restartsMax = 10;

/** The pause after a failed start, multiplied by the number of restarts. */
const startAgainMs = 50;

/** A process that is being killed still exists for a moment, on a busy machine for longer, when it answers nothing any more. */
const surelyAliveMs = 200;
const answersWithinMs = 20_000;

/**
 * Restarts a process whenever it ends, as an orchestrator would, until `leave`, which leaves it running: it is ready
 * then, unless the stores that it needs are away.
 */
export function keepAlive(kept: TestProcess): { leave(): Promise<void> } {
  let left = false;
  const keeping = (async () => {
    let aliveSinceMs = performance.now();
    for (let restarts = 0; ;) {
      if (isAlive(kept.pid)) {
        const aliveForMs = performance.now() - aliveSinceMs;
        if (left && aliveForMs > surelyAliveMs && (aliveForMs > answersWithinMs || (await kept.isReady()))) return;
        if (!left) aliveSinceMs = performance.now();
        await sleep(lookAgainMs);
        continue;
      }
      restarts += 1;
      if (restarts > restartsMax) throw new Error(`a process ended ${restarts} times:\n${kept.output}`);
      // It was killed again while it started, or another process holds its port for a moment, or it is broken, which
      // the count shows.
      await kept.start().catch(() => sleep(restarts * startAgainMs));
    }
  })();
  keeping.catch(() => undefined); // `leave` reports an error
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
    // The process does not exist any more.
    return false;
  }
}
