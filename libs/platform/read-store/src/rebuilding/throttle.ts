import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Minimum pause: long enough to measure whether the process has anything else to do. */
const restMinMs = 5;
const restMaxMs = 2_000;
/** After this much work it pauses to measure again, even if the process is idle. */
const lookAfterMs = 100;
/** A pause of 50 ms replaces the estimated load; a shorter one is averaged in by its length. */
const wholeLookMs = 50;
/** Load assumed before the first measurement: low, so that the first pause in an idle process is short. */
const busyAtFirst = 0.2;
/** Pause = work time × 48 × (load − 0.1): at a load of 25 % it pauses seven times as long as it worked. */
const restsPerBusy = 48;
/** Load of a process that serves no requests: timers, heartbeats, checks of its tables. */
const busyOfItself = 0.1;

/**
 * Pauses of background work, as long as the process is otherwise busy: in an idle process the work runs without pause, and in one that
 * serves requests it takes a small part of the event loop. The load is measured during the pauses, as the time for which the event loop is
 * active.
 */
export class Throttle {
  private busy = busyAtFirst;
  private sinceMs = performance.now();

  /** Whether the process has other things to do, so that nothing may run for long. */
  get isBusy(): boolean {
    return this.busy > busyOfItself;
  }

  /**
   * Pauses if necessary. To be called often, while none of the work is in flight.
   * @param isBrief for work that is late: pauses only briefly, to measure the load
   */
  async pause(isBrief = false): Promise<void> {
    const wantedMs = pauseAfter(performance.now() - this.sinceMs, this.busy);
    const restMs = isBrief ? Math.min(restMinMs, wantedMs) : wantedMs;
    if (restMs === 0) return;
    const [before, startedMs] = [performance.eventLoopUtilization(), performance.now()];
    await sleep(restMs);
    this.sinceMs = performance.now();
    const { utilization } = performance.eventLoopUtilization(before);
    this.busy += (utilization - this.busy) * Math.min(1, (this.sinceMs - startedMs) / wholeLookMs);
  }
}

/** Returns how long to pause after so much work; 0 to go on. @param busy share of the time for which the process is otherwise busy */
export function pauseAfter(workedMs: number, busy: number): number {
  const restMs = Math.min(restMaxMs, workedMs * restsPerBusy * Math.max(0, busy - busyOfItself));
  if (restMs >= restMinMs) return restMs;
  return workedMs >= lookAfterMs ? restMinMs : 0;
}
