import { epochMsOf, type Instant } from '@app/kernel';
import type { AutomationCheck } from './automation-checks';
import type { Automation } from './automation.state';
import type { UnresolvedCode, UnresolvedReason } from './condition';
import { nextDue } from './schedule';

/** How an automation can be doing (specification, "States and transitions"). */
export const monitorings = ['waiting', 'healthy', 'stale', 'unavailable', 'paused', 'completed'] as const;
export type Monitoring = (typeof monitorings)[number];

type Watched = Pick<Automation, 'definition' | 'state' | 'held' | 'completed' | 'epochAt'>;

/** How an automation is doing, and what is wrong where something is: words of our own, never a provider's. */
export interface Monitored {
  readonly monitoring: Monitoring;
  /** Null where nothing is wrong. */
  readonly issue: string | null;
}

/**
 * The first that fits (docs/decisions/automations.md, `monitoring`).
 * @param check the last one of the present activation; null where there was none
 */
export function monitoringOf(automation: Watched, check: AutomationCheck | null, now: Instant): Monitored {
  const { state, held, completed } = automation;
  if (state === 'archived') return { monitoring: 'completed', issue: 'It was removed.' };
  if (completed) return { monitoring: 'completed', issue: 'It has finished for good, until it is defined anew.' };
  if (held) return { monitoring: 'paused', issue: 'An operator holds it; it fires again when it is released.' };
  if (state === 'paused') return { monitoring: 'paused', issue: 'It was paused.' };
  if (check === null) {
    const overdue = isOverdue(automation, automation.epochAt, now);
    return { monitoring: 'waiting', issue: overdue ? overdueIssue : 'It was not looked at yet.' };
  }
  const failing = check.condition === 'unknown' ? check.reasons : [];
  const unread = failing.find((reason) => isOfProvider(reason, automation));
  if (unread !== undefined) return { monitoring: 'unavailable', issue: issueOf(unread) };
  if (isOverdue(automation, check.at, now)) return { monitoring: 'stale', issue: overdueIssue };
  const aged = failing.find(({ code }) => code === 'stale');
  if (aged !== undefined) return { monitoring: 'stale', issue: issueOf(aged) };
  // The rule cannot be decided for a reason of its own: that is no fault of what it looks at, but its user should know.
  return { monitoring: 'healthy', issue: failing[0] === undefined ? null : issueOf(failing[0]) };
}

const overdueIssue = 'A check is overdue by more than twice its interval.';

/** Whether the check that was due next after an instant is late by more than twice the time between it and the one that follows. */
function isOverdue({ definition, epochAt }: Watched, after: Instant, now: Instant): boolean {
  const { wake } = definition;
  if (wake.kind === 'event') return false;
  const due = nextDue(wake.schedule, epochAt, after);
  const following = due === null ? null : nextDue(wake.schedule, epochAt, due);
  if (due === null || following === null) return false;
  return epochMsOf(now) - epochMsOf(due) > 2 * (epochMsOf(following) - epochMsOf(due));
}

const ofProviders: ReadonlySet<UnresolvedCode> = new Set([
  'missing_source',
  'unavailable',
  'gap',
  'future',
  'snapshot_skew',
]);

/** An event is nobody's duty to deliver. */
function isOfProvider({ code, binding }: UnresolvedReason, { definition }: Watched): boolean {
  const bound = definition.condition?.bindings.find(({ name }) => name === binding);
  return ofProviders.has(code) && bound?.source.kind !== 'event';
}

const words: Readonly<Record<UnresolvedCode, string>> = {
  missing_source: 'nothing was received of',
  unavailable: 'the provider could not be read for',
  gap: 'samples are missing of',
  stale: 'too old is what is known of',
  future: 'ahead of time is what is said of',
  missing_field: 'a field is missing in',
  invalid_value: 'values cannot be compared in',
  snapshot_skew: 'too far apart in time is what is known of',
};

function issueOf({ code, binding }: UnresolvedReason): string {
  return `The condition could not be decided: ${words[code]} ${binding ?? 'the rule'}.`;
}
