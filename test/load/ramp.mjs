// Finds what the machine bears: the highest rate at which nothing is refused and nothing is late.
import { finished, holdRate } from './phase.mjs';
import { totalOf } from './recorder.mjs';

const firstRate = 20;
const stepSeconds = 8;
const growth = 1.5;
const refinements = 2;
const ratesMax = 20;
/** More of a hundred operations refused or failed, or a slower hundredth, is more than it bears. */
const refusedShareMax = 0.005;
const p99MaxMs = 1_000;

/**
 * Raises the rate until it is too high, and halves the last step twice.
 * @returns {Promise<{bears: number, steps: object[]}>} every step with its figures
 */
export async function findBearableRate(load) {
  const steps = [];
  const isBorne = async (rate) => {
    load.print(`\n${rate.toFixed(0)} operations a second for ${stepSeconds} s`);
    const step = await finished(await holdRate({ name: rate.toFixed(0), rate, seconds: stepSeconds }, load));
    const borne = isBearable(totalOf(step.figures));
    steps.push({ ...step, borne });
    return borne;
  };
  let [borne, tooHigh] = [0, firstRate];
  while (steps.length < ratesMax && !load.signal.aborted && (await isBorne(tooHigh))) {
    [borne, tooHigh] = [tooHigh, tooHigh * growth];
  }
  for (let count = 0; count < refinements && borne > 0 && !load.signal.aborted; count += 1) {
    const between = (borne + tooHigh) / 2;
    if (await isBorne(between)) borne = between;
    else tooHigh = between;
  }
  return { bears: borne, steps };
}

function isBearable({ arrived, refused, failed, p99 }) {
  return (refused + failed) / arrived <= refusedShareMax && p99 <= p99MaxMs;
}
