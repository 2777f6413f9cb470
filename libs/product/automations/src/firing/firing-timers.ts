import { epochMsOf, instantOf, parseUuid } from '@app/kernel';
import type { AutomationId, Instant, JsonValue, OccurrenceId } from '@app/kernel';
import type { Timer } from '@app/timers';

export const dueTimers = 'automation';
export const endTimers = 'automation-end';
export const occurrenceTimers = 'occurrence';

/**
 * The next due time of an activation. Each activation has its own timer: one whose activation was never appended does
 * not affect the present one, and one whose activation is over finds nothing to do.
 */
export function dueTimer(automationId: AutomationId, epoch: string, dueAt: Instant): Timer {
  const payload = { automationId, epoch, dueAt };
  return { id: `${dueTimers}/${automationId}/${epoch}`, kind: dueTimers, dueAt, payload };
}

/** The end of an activation, `endAt`. */
export function endTimer(automationId: AutomationId, epoch: string, endAt: Instant): Timer {
  const payload = { automationId, epoch };
  return { id: `${endTimers}/${automationId}/${epoch}`, kind: endTimers, dueAt: endAt, payload };
}

/** Tries to admit the automation's first occurrence in turn; named after the occurrence that it was scheduled for. */
export function occurrenceTimer(automationId: AutomationId, occurrenceId: OccurrenceId, dueAt: Instant): Timer {
  const payload = { automationId, occurrenceId };
  return { id: `${occurrenceTimers}/${occurrenceId}`, kind: occurrenceTimers, dueAt, payload };
}

/** The automation of a timer of this module. @throws TypeError for a timer that names no automation */
export function automationOf({ payload }: Pick<Timer, 'payload'>): AutomationId {
  const automationId = parseUuid<AutomationId>(payload['automationId']);
  if (automationId === null) throw new TypeError('the timer names no automation');
  return automationId;
}

/** The activation of a timer. @throws TypeError for a timer that names none */
export function epochOf({ payload }: Pick<Timer, 'payload'>): string {
  return textOf(payload['epoch']);
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw new TypeError('the timer names no activation');
  return value;
}

export function later(instant: Instant, ms: number): Instant {
  return instantOf(epochMsOf(instant) + ms);
}
