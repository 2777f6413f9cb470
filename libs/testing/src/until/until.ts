import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 15;
const lastPauseMs = 200;
const growth = 1.25;

/**
 * Looks again and again until there is something, and answers it: often at first, since most comes soon, and then less, since each look
 * takes the time of whoever is waited for. Throws when it does not come in time.
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
