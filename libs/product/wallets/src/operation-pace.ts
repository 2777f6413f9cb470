import { epochMsOf } from '@app/kernel';
import type { Driven } from './drive-operation';

/** Pauses while the provider does not answer, or does not say when: doubling, by the service clock. */
const pauseFirstMs = 2_000;
const pauseLastMs = 600_000;
/** A timer that fires before the append that it is for looks again so often, after pauses that double. */
const notBegunPauseFirstMs = 20;
const notBegunLooksMax = 12;
/** So often an action that lacks funds waits for what other operations may give back or never take. */
const patienceWaits = 4;

/** Whether an operation that has waited so often in a row waits for money that others may be taking. */
export function isPatient(waits: number): boolean {
  return waits < patienceWaits;
}

/**
 * When an operation is looked at next, always later than now; null when it need not be.
 *
 * @param waits how often in a row it has waited
 * @param woken there was news of it while it was driven
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
