import { setTimeout as sleep } from 'node:timers/promises';

const askAgainMs = 25;

/** Looks again and again until there is something, and answers it. Throws when it does not come in time. */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | null | undefined>,
  withinMs = 120_000,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`${what} did not come in time`);
    await sleep(askAgainMs);
  }
}
