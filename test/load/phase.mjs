// One rate, held for a while.
import { startDay } from './day.mjs';
import { Recorder } from './recorder.mjs';
import { watch } from './watch.mjs';

/**
 * Holds a rate.
 * @param {{name: string, rate: number, seconds: number}} what
 * @param {{target: object, ledger: object, everySeconds: number, print: (line: string) => void, signal: AbortSignal}}
 * load
 * @returns {Promise<object>} once the last operation has arrived; see `finished`
 */
export async function holdRate({ name, rate, seconds }, { target, ledger, everySeconds, print, signal }) {
  const recorder = new Recorder();
  const watching = watch({ recorder, pids: target.pids, everySeconds, print });
  const day = startDay({ rate, seconds, users: target.users, ledger, recorder, signal });
  day.ended.catch(() => undefined); // the caller that awaits `ended` sees a failure
  const usage = await day.arrived.then(watching.stop, (error) => {
    watching.stop();
    throw error;
  });
  const atTheEnd = { ...usage, leftOver: recorder.inFlight };
  return { name, rate, seconds, recorder, ended: day.ended, ...atTheEnd };
}

/** Returns the phase once all its operations have ended, with its figures by kind. */
export async function finished(phase) {
  await phase.ended;
  const { refusals, failures } = phase.recorder;
  return { ...phase, figures: phase.recorder.figures(), refusals, failures };
}
