import { epochMsOf, quoted, words, type Instant, type Words } from '@app/kernel';
import type { AutomationCheck } from './automation-checks';
import type { Automation } from '../automation/automation.state';
import type { UnresolvedCode, UnresolvedReason } from '../condition/condition';
import { isFinished } from '../automation/finished';
import { nextDue } from '../definition/schedule';

/** The monitoring states of an automation (specification, "States and transitions"). */
export const monitorings = ['waiting', 'healthy', 'stale', 'unavailable', 'paused', 'completed'] as const;
export type Monitoring = (typeof monitorings)[number];

type Watched = Pick<Automation, 'definition' | 'state' | 'held' | 'completed' | 'occurrences' | 'epochAt'>;

/** The monitoring state and its issue: in words of our own, never a provider's. */
export interface Monitored {
  readonly monitoring: Monitoring;
  /** Null unless it is `stale` or `unavailable`. */
  readonly issue: Words | null;
}

/**
 * The first state that applies (docs/decisions/automations.md, `monitoring`).
 * @param check the last one of the present activation; null where there was none
 */
export function monitoringOf(automation: Watched, check: AutomationCheck | null, now: Instant): Monitored {
  if (isFinished(automation, now)) return { monitoring: 'completed', issue: null };
  if (automation.held || automation.state === 'paused') return { monitoring: 'paused', issue: null };
  if (check === null) return { monitoring: 'waiting', issue: null };
  const failing = check.condition === 'unknown' ? check.reasons : [];
  // Undecidable for a reason other than age, which is the provider's or the rule's own.
  const undecided = failing.find(({ code }) => code !== 'stale');
  if (undecided !== undefined) return { monitoring: 'unavailable', issue: issueOf(undecided) };
  if (isOverdue(automation, check.at, now)) return { monitoring: 'stale', issue: overdueIssue };
  const [aged] = failing;
  return aged === undefined ? { monitoring: 'healthy', issue: null } : { monitoring: 'stale', issue: issueOf(aged) };
}

const overdueIssue = words`A check is overdue by more than twice its interval.`;

/** Whether the next check due after an instant is late by more than twice its distance to the following one. */
function isOverdue({ definition, epochAt }: Watched, after: Instant, now: Instant): boolean {
  const { wake } = definition;
  if (wake.kind === 'event') return false;
  const due = nextDue(wake.schedule, epochAt, after);
  const following = due === null ? null : nextDue(wake.schedule, epochAt, due);
  if (due === null || following === null) return false;
  return epochMsOf(now) - epochMsOf(due) > 2 * (epochMsOf(following) - epochMsOf(due));
}

const troubles: Readonly<Record<UnresolvedCode, Words>> = {
  missing_source: words`nothing was received of`,
  unavailable: words`the provider could not be read for`,
  gap: words`samples are missing of`,
  stale: words`too old is what is known of`,
  future: words`ahead of time is what is said of`,
  missing_field: words`a field is missing in`,
  invalid_value: words`values cannot be compared in`,
  snapshot_skew: words`too far apart in time is what is known of`,
};

function issueOf({ code, binding }: UnresolvedReason): Words {
  const about = binding === undefined ? words`the rule` : quoted(binding);
  return words`The condition could not be decided: ${troubles[code]} ${about}.`;
}
