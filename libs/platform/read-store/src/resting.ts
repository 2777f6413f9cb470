import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Work is broken off for so long at least: long enough to see whether the process has anything else to do. */
const restMinMs = 5;
const restMaxMs = 2_000;
/** After so much work it looks again, however little there was to do beside it. */
const lookAfterMs = 100;
/** A look of so long counts for all; a shorter one changes what is known by a part. */
const wholeLookMs = 50;
/** What is taken before the first look: a little, so that this one is not long in an idle process. */
const busyAtFirst = 0.2;
/** How much longer than it works it rests, for all of the time that the others take: seven times as long where they take a quarter. */
const restsPerBusy = 48;
/** What a process does that serves nobody: timers, heartbeats, looks at its tables. */
const busyOfItself = 0.1;

/**
 * Rests of work in the background, as long as the process is busy beside it: an idle process works without pause, and in one that serves
 * the work takes a small part of the event loop. How busy it is shows while the work rests, by how much of that time the loop is active.
 */
export class Resting {
  private busy = busyAtFirst;
  private sinceMs = performance.now();

  /** Whether the process has other things to do, so that nothing may be long. */
  get isBusy(): boolean {
    return this.busy > busyOfItself;
  }

  /** To be called often, whenever nothing of the work is under way. @param isBrief for work that is late: it rests just to see how busy the process is */
  async rest(isBrief = false): Promise<void> {
    const wantedMs = restAfter(performance.now() - this.sinceMs, this.busy);
    const restMs = isBrief ? Math.min(restMinMs, wantedMs) : wantedMs;
    if (restMs === 0) return;
    const [before, startedMs] = [performance.eventLoopUtilization(), performance.now()];
    await sleep(restMs);
    this.sinceMs = performance.now();
    const { utilization } = performance.eventLoopUtilization(before);
    this.busy += (utilization - this.busy) * Math.min(1, (this.sinceMs - startedMs) / wholeLookMs);
  }
}

/** How long to rest after so much work. @param busy part of the time for which the process is busy beside it; @returns 0 to go on */
export function restAfter(workedMs: number, busy: number): number {
  const restMs = Math.min(restMaxMs, workedMs * restsPerBusy * Math.max(0, busy - busyOfItself));
  if (restMs >= restMinMs) return restMs;
  return workedMs >= lookAfterMs ? restMinMs : 0;
}
