// The measuring method: in turns, so that other work of the machine affects both sides.
import { setTimeout as sleep } from 'node:timers/promises';

/** The pause between two turns, in which the work of the first settles. */
const pauseMs = 300;

/**
 * One unmeasured turn of both sides, then A-B-A-B…
 * @returns {Promise<{ours: object[], baseline: object[]}>} the figures of each turn
 */
export async function inTurns({ ours, baseline }, rounds) {
  const sides = [
    { turn: ours, measured: [] },
    { turn: baseline, measured: [] },
  ];
  for (let round = 0; round <= rounds; round += 1) {
    for (const { turn, measured } of sides) {
      const figures = await turn();
      if (round > 0) measured.push(figures);
      await sleep(pauseMs);
    }
  }
  return { ours: sides[0].measured, baseline: sides[1].measured };
}

/**
 * Keeps `inFlight` operations in flight for `seconds`.
 * @returns {Promise<number>} operations completed a second
 */
export async function operationsPerSecond({ inFlight, seconds, operation }) {
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  let done = 0;
  const lane = async (_, number) => {
    while (performance.now() < endMs) {
      await operation(number);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (done * 1000) / (performance.now() - startedMs);
}

/** The median; of an even number of values, the mean of the middle two. */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2;
}

/** The value that the given share (0.99: p99) of all values does not exceed. */
export function percentile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}

/** Performs `count` operations, at most `lanes` of them at a time. Each gets its number. */
export async function atOnce(lanes, count, operation) {
  let next = 0;
  const lane = async () => {
    while (next < count) await operation(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
