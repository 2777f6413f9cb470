// Twice the rate that the machine bears, between two phases at 80 % of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { finished, holdRate } from './phase.mjs';

const calmShare = 0.8;
const overloadFactor = 2;
/** The pause after the overload, in which accepted operations end. The calm phase that follows is measured after it. */
const breathMs = 1_000;

/** @returns {Promise<{calm: object, over: object, after: object}>} the three rates with their figures */
export async function overload(load, bears, seconds) {
  const hold = (name, rate) => {
    load.print(`\n${name}: ${rate.toFixed(0)} operations a second for ${seconds} s`);
    return holdRate({ name, rate, seconds }, load);
  };
  const calm = await finished(await hold('80 %', bears * calmShare));
  const over = await hold('200 %', bears * overloadFactor);
  await sleep(breathMs);
  const after = await hold('80 % again', bears * calmShare);
  const [ended, recovered] = await Promise.all([finished(over), finished(after)]);
  return { calm, over: ended, after: recovered };
}
