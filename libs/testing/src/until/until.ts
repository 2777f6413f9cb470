import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 15;
const lastPauseMs = 500;
const growth = 1.25;

/**
 * Looks until there is something, and answers it. It looks often at first, since most things come soon, and then less often, since each
 * look costs the service CPU time. Throws an error that names what it waited for when nothing comes within `withinMs`.
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
