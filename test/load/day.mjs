// The mixed day: which operations arrive, when, and for which users.
import { setTimeout as sleep } from 'node:timers/promises';
import { approvals } from './journeys/approvals.mjs';
import { automations } from './journeys/automations.mjs';
import { chats } from './journeys/chats.mjs';
import { looks } from './journeys/lists.mjs';
import { streams } from './journeys/streams.mjs';
import { carryOut } from './operation.mjs';

/** Shares in percent of all operations. */
const mix = [
  { journey: chats, share: 40 },
  { journey: looks, share: 30 },
  { journey: streams, share: 10 },
  { journey: approvals, share: 10 },
  { journey: automations, share: 10 },
];
/** The largest number of operations in flight. A service that is further behind has failed, and the rate ends. */
export const inFlightMax = 20_000;

/**
 * Lets operations arrive at a rate for so many seconds, as a Poisson process: none waits for another, and each is timed
 * from the instant at which it was due.
 * @param {{rate: number, seconds: number, users: object[], ledger: object, recorder: object, signal: AbortSignal}} what
 * @returns {{arrived: Promise<void>, ended: Promise<void>}} when the last one has arrived, and when all have ended
 */
export function startDay({ rate, seconds, users, ledger, recorder, signal }) {
  const underWay = new Set();
  const arrive = (dueAtMs) => {
    const { journey } = pick();
    const user = users[Math.floor(Math.random() * users.length)];
    recorder.arrived(journey.kind);
    const operation = carryOut(journey, { dueAtMs, user, ledger, recorder });
    underWay.add(operation);
    void operation.finally(() => underWay.delete(operation));
  };
  const arrived = (async () => {
    const endMs = performance.now() + seconds * 1000;
    let dueAtMs = performance.now() + gapMs(rate);
    while (dueAtMs < endMs && !signal.aborted) {
      const waitMs = dueAtMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      for (; dueAtMs <= performance.now() && dueAtMs < endMs; dueAtMs += gapMs(rate)) arrive(dueAtMs);
      if (underWay.size > inFlightMax)
        throw new Error(`${underWay.size} operations are in flight; the rate is far too high`);
    }
  })();
  return { arrived, ended: arrived.then(() => Promise.all(underWay)).then(() => undefined) };
}

function pick() {
  let ticket = Math.random() * mix.reduce((sum, { share }) => sum + share, 0);
  return mix.find(({ share }) => (ticket -= share) < 0) ?? mix[0];
}

const gapMs = (rate) => (-Math.log(1 - Math.random()) * 1000) / rate;
