import type { Instant } from '@app/kernel';
import type { Automation } from './automation.state';
import { hasEnded } from '../firing/firing-policy';
import { nextDue } from '../definition/schedule';

/**
 * Whether an automation is archived, or has finished for good: `once` has fired, `maxOccurrences` were accepted, `endAt` has passed, or
 * its schedule has no due time left (docs/decisions/automations.md). Its end counts from its instant on, whenever that is recorded. The
 * decider, which knows no calendar, looks at all but the last: the revision that it checks has the schedule that was looked at here.
 */
export function isFinished(
  automation: Parameters<typeof hasEnded>[0] & Pick<Automation, 'epochAt'>,
  now: Instant,
): boolean {
  if (hasEnded(automation, now)) return true;
  const { wake } = automation.definition;
  return wake.kind === 'schedule' && nextDue(wake.schedule, automation.epochAt, now) === null;
}
