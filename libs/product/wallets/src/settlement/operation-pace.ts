import { epochMsOf } from '@app/kernel';
import type { Driven } from './drive-operation';

/** Pauses while the provider does not answer or does not say when to ask again; they double, by the service clock. */
const pauseFirstMs = 2_000;
const pauseLastMs = 600_000;
/** Limits for a timer that fires before the append it was scheduled for: it retries this often, after doubling pauses. */
const notBegunPauseFirstMs = 20;
const notBegunLooksMax = 12;
/** How many waits in a row an action without funds makes for money that other operations may return or never take. */
const patienceWaits = 4;

/** Whether an operation that has waited that many times in a row still waits for money that others may be using. */
export function isPatient(waits: number): boolean {
  return waits < patienceWaits;
}

/**
 * The time of an operation's next drive, always later than now; null when none is needed.
 *
 * @param waits how many times in a row it has waited
 * @param woken whether news arrived while it was driven
 */
export function nextLook(
  driven: Driven,
  waits: number,
  nowMs: number,
  woken: boolean,
): { readonly atMs: number; readonly waits: number } | null {
  if (driven.do === 'over') return null;
  if (woken) return { atMs: nowMs + 1, waits: 0 };
  if (driven.do === 'not_begun') {
    return waits < notBegunLooksMax ? { atMs: nowMs + notBegunPauseFirstMs * 2 ** waits, waits: waits + 1 } : null;
  }
  const before = driven.progressed ? 0 : waits;
  const pauseMs = Math.min(pauseLastMs, pauseFirstMs * 2 ** Math.min(before, 16));
  const known = driven.until === null ? 0 : epochMsOf(driven.until);
  const atMs = known > nowMs ? known : nowMs + pauseMs;
  const latestMs = driven.noLaterThan === null ? Infinity : epochMsOf(driven.noLaterThan);
  return { atMs: Math.max(nowMs + 1, Math.min(atMs, latestMs)), waits: before + 1 };
}
