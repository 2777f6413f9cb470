// Finds the rate that the machine bears: the highest at which next to nothing is refused and nothing is late.
import { NoLoad } from './options.mjs';
import { finished, holdRate } from './phase.mjs';
import { totalOf } from './recorder.mjs';
import { refusalsLine } from './tables.mjs';

const firstRate = 5;
const stepSeconds = 8;
const growth = 2;
const refinements = 3;
const ratesMax = 20;
/**
 * The machine does not bear a rate with a larger share of refused or failed operations, or with a slower 99th
 * percentile.
 */
const refusedShareMax = 0.005;
const p99MaxMs = 1_000;

/**
 * Doubles the rate until it is too high, and halves the last step three times.
 * @returns {Promise<{bears: number, steps: object[]}>} every step with its figures
 * @throws NoLoad if it does not bear the first rate
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
  if (borne === 0 && !load.signal.aborted) throw new NoLoad(tellsWhy(steps[0]));
  return { bears: borne, steps };
}

function tellsWhy({ rate, figures, refusals, failures }) {
  const { p99 } = totalOf(figures);
  return `not even ${rate} operations a second: p99 ${p99.toFixed(0)} ms, ${refusalsLine(refusals)}\n${failures.join('\n')}`;
}

function isBearable({ arrived, refused, failed, p99 }) {
  return (refused + failed) / arrived <= refusedShareMax && p99 <= p99MaxMs;
}
