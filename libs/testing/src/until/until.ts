import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 15;
const lastPauseMs = 500;
const growth = 1.25;

/**
 * Polls until there is a value, and returns it. It polls often at first, because most values appear soon, and then less
 * often, because each poll costs the service CPU time. Throws an error that names what it waited for when none appears
 * within `withinMs`.
 */
export async function until<Value>(
  what: string | (() => string),
  look: () => Promise<Value | null | undefined>,
  withinMs = 120_000,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * growth, lastPauseMs)) {
    const value = await look();
    if (value !== null && value !== undefined) return value;
    if (performance.now() > deadline)
      throw new Error(`${typeof what === 'string' ? what : what()} did not come in time`);
    await sleep(pauseMs);
  }
}
